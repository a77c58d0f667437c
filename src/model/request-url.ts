import type { Provider } from '../base/provider.ts';

/** Parameters are appended as they are written: users escape them themselves. */
export function requestUrl({ baseUrl, queryParams }: Pick<Provider, 'baseUrl' | 'queryParams'>, path: string): URL {
  const [base = '', ...rest] = baseUrl.split('?');
  const query = [...rest, ...Object.entries(queryParams).map(([name, value]) => `${name}=${value}`)].join('&');
  return new URL(`${base.replace(/\/+$/, '')}${path}${query === '' ? '' : `?${query}`}`);
}
