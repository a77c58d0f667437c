import type { FailureKind } from '../../base/errors.ts';

/** A step that cannot be done. Whether its change left anything behind is known when the steps before it were undone. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly kind: FailureKind;
  /** A sentence on what to do now; empty if there is none. */
  readonly advice: string;

  constructor(
    kind: FailureKind,
    message: string,
    options: { readonly advice?: string; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.advice = options.advice ?? '';
  }
}
