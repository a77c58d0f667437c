/** A server says something that HTTP does not know. With the code that Node's own client has for it. */
export class HttpSyntaxError extends Error {
  readonly code = 'HPE_INVALID_CONSTANT';

  constructor(message: string) {
    super(message);
    this.name = 'HttpSyntaxError';
  }
}
