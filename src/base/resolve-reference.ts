import { isRecord } from './json-schema.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the target of a reference into a schema; undefined if the reference leads outside or to nothing. */
export function resolveReference(root: unknown, reference: unknown): Fields | undefined {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = unescaped(step);
    const isThere = (isRecord(found) || Array.isArray(found)) && Object.hasOwn(found, name);
    found = isThere ? (found as Fields)[name] : undefined;
  }
  return isRecord(found) ? found : undefined;
}

function unescaped(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
