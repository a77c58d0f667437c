/** Splits the target of a request. The query has no question mark, and a fragment is dropped. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const end = target.search(/[?#]/);
  if (end === -1) return { path: target, query: '' };
  const at = target.indexOf('?');
  return { path: target.slice(0, end), query: at < 0 ? '' : target.slice(at + 1) };
}
