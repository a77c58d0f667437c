/** Tokens for thinking, by effort. Servers that do not know an effort want a number of tokens. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['low', 4096],
  ['medium', 8192],
  ['high', 16_384],
  ['xhigh', 24_576],
  ['max', 32_768],
]);

/** The least number of tokens that servers accept. */
const LEAST = 1024;

/**
 * Returns the number of tokens for thinking. Undefined if the limit of the answer leaves no room: it includes the tokens
 * for thinking, and half of it is kept for the answer itself.
 */
export function budgetFor(effort: string | undefined, limit: number): number | undefined {
  const budget = Math.min(BUDGETS.get(effort ?? USUAL) ?? LEAST, Math.floor(limit / 2));
  return budget < LEAST ? undefined : budget;
}

const USUAL = 'high';

/** Returns the effort that a number of tokens stands for, in words that servers of every wire know. */
export function effortFor(budget: number): string {
  if (budget <= 4096) return 'low';
  return budget <= 12_288 ? 'medium' : 'high';
}
