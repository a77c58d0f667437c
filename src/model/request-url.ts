import type { Provider } from '../base/provider.ts';

type Place = Pick<Provider, 'baseUrl' | 'queryParams'>;

const known = new WeakMap<Place, Map<string, URL>>();

/**
 * Returns the URL of a path, which may have a query. Parameters are appended as they are written, because users escape them. The URL is shared,
 * so the caller must not change it.
 */
export function requestUrl(provider: Place, path: string): URL {
  const urls = known.get(provider) ?? new Map<string, URL>();
  known.set(provider, urls);
  const url = urls.get(path) ?? makeUrl(provider, path);
  urls.set(path, url);
  return url;
}

function makeUrl({ baseUrl, queryParams }: Place, path: string): URL {
  const [base = '', ...rest] = baseUrl.split('?');
  const [plain = '', ...asked] = path.split('?');
  const query = [...rest, ...asked, ...Object.entries(queryParams).map(([name, value]) => `${name}=${value}`)].join(
    '&',
  );
  return new URL(`${base.replace(/\/+$/, '')}${plain}${query === '' ? '' : `?${query}`}`);
}
