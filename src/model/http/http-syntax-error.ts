/** Error for bytes of the other side that are not HTTP. It has the code that Node's own client uses for them. */
export class HttpSyntaxError extends Error {
  readonly code = 'HPE_INVALID_CONSTANT';
  /** The status with which a server answers such bytes. */
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.name = 'HttpSyntaxError';
    this.status = status;
  }
}
