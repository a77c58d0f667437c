/** Returns a path of keys as TOML writes it: `projects."/some/where".trust_level`. */
export function keyText(path: readonly string[]): string {
  return path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join('.');
}
