import type { FailureKind } from '../../base/errors.ts';

/** A failure of one step. Whether the whole change left anything behind is known only after the undo. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure';
  readonly kind: FailureKind;
  /** A sentence about what to do now; empty if there is none. */
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
