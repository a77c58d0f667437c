import type { PrefixRule } from '../../base/policy.ts';

/** Returns a rule as a line of a rules file. */
export function formatRule({ pattern, decision, justification }: PrefixRule): string {
  const words = pattern.map((word) => (typeof word === 'string' ? text(word) : `[${word.map(text).join(', ')}]`));
  const why = justification === undefined ? '' : `, justification=${text(justification)}`;
  return `prefix_rule(pattern=[${words.join(', ')}], decision="${decision}"${why})`;
}

const text = (value: string) => JSON.stringify(value);
