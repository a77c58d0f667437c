import type { ColorDepth } from '../../text/render-line.ts';

export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  green(text: string): string;
  cyan(text: string): string;
}

/** Returns the colours of a terminal, or functions that leave texts plain. */
export function createStyle(colored: boolean): Style {
  const sgr = (on: number, off: number) => (text: string) => (colored ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { dim: sgr(2, 22), bold: sgr(1, 22), red: sgr(31, 39), green: sgr(32, 39), cyan: sgr(36, 39) };
}

/** Reports whether to use colours. `auto` uses them on a terminal, unless NO_COLOR is set. */
export function wantsColor(choice: string, isTerminal: boolean, noColor: string | undefined): boolean {
  if (choice !== 'auto') return choice === 'always';
  return isTerminal && !noColor;
}

/** Returns the colours that a terminal has, as its variables claim. */
export function colorDepth({ NO_COLOR, FORCE_COLOR, COLORTERM, TERM = '' }: NodeJS.ProcessEnv): ColorDepth {
  if (isSet(FORCE_COLOR)) return FORCE_COLOR === '3' ? 'true' : FORCE_COLOR === '2' ? '256' : '16';
  if (NO_COLOR || TERM === 'dumb') return 'none';
  if (COLORTERM === 'truecolor' || COLORTERM === '24bit') return 'true';
  return /256/.test(TERM) ? '256' : '16';
}

/** Reports whether a terminal gets texts in rows of its width. A terminal of unknown abilities gets them as they are. */
export function wantsRows(isTerminal: boolean, raw: boolean, { TERM }: NodeJS.ProcessEnv): boolean {
  return isTerminal && !raw && TERM !== undefined && TERM !== '' && TERM !== 'dumb';
}

/** Reports whether a terminal gets a line of progress: one that can erase lines, with a person in front of it. */
export function wantsProgress(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  return wantsRows(isTerminal, false, env) && !isSet(env.CI);
}

const isSet = (value: string | undefined) => value !== undefined && !['', '0', 'false'].includes(value);
