/**
 * A function that returns the credentials of a request. It is called before each request, so that tokens can be renewed,
 * and once more when the server refuses them (401). Requests that begin while a call is pending share its result.
 */
export type CredentialsSource = (request: CredentialsRequest) => RequestCredentials | Promise<RequestCredentials>;

/** The request that credentials are for. */
export interface CredentialsRequest {
  /** Id of the provider that the request goes to. */
  readonly provider: string;
  /** Whether the server has refused the last credentials. */
  readonly refused: boolean;
}

/** Credentials of a request. */
export interface RequestCredentials {
  /** A token, or a whole value with its scheme, such as `Bearer abc`. */
  readonly authorization?: string;
  /** Further headers, which win over those of the provider. Their values count as secret. */
  readonly headers?: Readonly<Record<string, string>>;
}
