import type { HttpResponse } from '../../model/http.ts';

/**
 * Returns the headers of a server's answer that clients use: to report a problem, and to pace their requests. Returns
 * undefined where there are none.
 */
export function passedHeaders(headers: HttpResponse['headers']): Readonly<Record<string, string>> | undefined {
  let passed: Record<string, string> | undefined;
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string' || !(PASSED.has(name) || PREFIXES.test(name))) continue;
    passed ??= {};
    passed[name] = value;
  }
  return passed;
}

const PASSED: ReadonlySet<string> = new Set([
  'x-request-id',
  'request-id',
  'apim-request-id',
  'openai-processing-ms',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
]);

const PREFIXES = /^(?:x|anthropic)-ratelimit-/;
