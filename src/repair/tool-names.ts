/** Returns the tool that an undeclared name means. Undefined if there is no such tool, or more than one. */
export function resolveName(name: string, tools: ReadonlyMap<string, unknown>): string | undefined {
  // The rest is markup of the model's own format.
  const cut = name.split('<|', 1)[0]?.trim() ?? '';
  const bare = cut.replace(PREFIX, '').replace(COUNTER, '');
  return [cut, bare].find((form) => tools.has(form)) ?? theOnly([...tools.keys()].filter(sameLetters(bare)));
}

/** Namespaces in which models believe their tools to be. */
const PREFIX = /^(?:functions?|default_api|tools?)[.:/]/i;
/** Number that some formats add to a name. */
const COUNTER = /:\d+$/;

function sameLetters(name: string): (other: string) => boolean {
  const letters = name.toLowerCase();
  return (other) => other.toLowerCase() === letters;
}

function theOnly(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}
