/** Error for bytes of a server that are not HTTP. It has the code that Node's own client uses for them. */
export class HttpSyntaxError extends Error {
  readonly code = 'HPE_INVALID_CONSTANT';

  constructor(message: string) {
    super(message);
    this.name = 'HttpSyntaxError';
  }
}
