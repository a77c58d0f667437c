/** The tool that a name means, if it is not the very name of one. Undefined: none, or more than one. */
export function resolveName(name: string, tools: ReadonlyMap<string, unknown>): string | undefined {
  // What follows is markup that belongs to the model's own format.
  const cut = name.split('<|', 1)[0]?.trim() ?? '';
  const bare = cut.replace(PREFIX, '').replace(COUNTER, '');
  return [cut, bare].find((form) => tools.has(form)) ?? theOnly([...tools.keys()].filter(sameLetters(bare)));
}

/** Where models believe their tools to live. */
const PREFIX = /^(?:functions?|default_api|tools?)[.:/]/i;
/** The number that some formats add to a name. */
const COUNTER = /:\d+$/;

function sameLetters(name: string): (other: string) => boolean {
  const letters = name.toLowerCase();
  return (other) => other.toLowerCase() === letters;
}

function theOnly(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}
