/** Namespace of tools that have none. */
const DEFAULT_NAMESPACE = 'functions';
const SEPARATOR = '__';

/** Returns the name of a tool in a namespace, as one word. A server that searches for tools names both alike. */
export function flatName(namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === DEFAULT_NAMESPACE || namespace === name) return name;
  return namespace.endsWith(SEPARATOR) ? namespace + name : namespace + SEPARATOR + name;
}

/** Returns a text that no two tools share. */
export function toolKey(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? DEFAULT_NAMESPACE, name]);
}
