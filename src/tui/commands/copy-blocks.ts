/** A text that can be copied. */
export interface CopyBlock {
  readonly label: string;
  readonly text: string;
}

const FENCE = /^( {0,3})(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)^ {0,3}\2[`~]*[ \t]*$/gm;

/** Returns the parts of an answer that people copy: all of it, each block of code, and the last command. */
export function copyBlocks(answer: string, command: string | null): CopyBlock[] {
  const codes = [...answer.matchAll(FENCE)].map(([, , , info = '', code = ''], index) => ({
    label: `code ${index + 1}${info.trim() === '' ? '' : ` (${info.trim()})`}`,
    text: code,
  }));
  return [
    ...(answer === '' ? [] : [{ label: 'the whole answer', text: answer }]),
    ...codes,
    ...(command === null ? [] : [{ label: 'the last command', text: command }]),
  ];
}
