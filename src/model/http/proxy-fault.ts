/** A failure of a proxy, or on the way to it. The message is a sentence for the user, without a password. */
export class ProxyFault extends Error {
  override readonly name = 'ProxyFault';
  /** Code of the error that caused it, as Node names it. */
  readonly code: string;
  /** Whether the same request would fail again. */
  readonly lasting: boolean;

  constructor(
    message: string,
    options: { readonly code?: string; readonly lasting: boolean; readonly cause?: unknown },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = options.code ?? 'ERR_PROXY';
    this.lasting = options.lasting;
  }
}
