export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  green(text: string): string;
  cyan(text: string): string;
}

/** Colours for a terminal, or none. */
export function createStyle(colored: boolean): Style {
  const sgr = (on: number, off: number) => (text: string) => (colored ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  return { dim: sgr(2, 22), bold: sgr(1, 22), red: sgr(31, 39), green: sgr(32, 39), cyan: sgr(36, 39) };
}

/** Whether to use colours: as asked for; by itself only on a terminal, and not when NO_COLOR is set. */
export function wantsColor(choice: string, isTerminal: boolean, noColor: string | undefined): boolean {
  if (choice !== 'auto') return choice === 'always';
  return isTerminal && !noColor;
}
