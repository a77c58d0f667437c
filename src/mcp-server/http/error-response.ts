/** Codes of JSON-RPC for the answers of HTTP that no method has. */
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/** Returns an error for the whole request, as JSON-RPC has it. */
export function errorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return answer(status, SERVER_ERROR, message, headers);
}

/** Returns the error for a body that is not JSON. */
export function parseErrorResponse(message: string): Response {
  return answer(400, PARSE_ERROR, message, {});
}

function answer(status: number, code: number, message: string, headers: Readonly<Record<string, string>>): Response {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } });
}
