import { fstatSync } from 'node:fs';
import { UserError } from '../base/errors.ts';

/**
 * Returns the prompt. It is the argument, or standard input when the argument is missing or `-`. Input that is piped in
 * besides an argument follows the argument in a `<stdin>` block.
 */
export async function readPrompt(argument: string | undefined, note: (text: string) => void): Promise<string> {
  if (argument !== undefined && argument !== '-') {
    const piped = isPiped() ? await readStdin() : '';
    return piped.trim() === '' ? argument : `${argument}\n\n<stdin>\n${piped.trimEnd()}\n</stdin>`;
  }
  if (argument === undefined && !isPiped()) throw new UserError('invalid_input', NO_PROMPT);
  note('Reading prompt from stdin...\n');
  const text = await readStdin();
  if (text.trim() === '') throw new UserError('invalid_input', NO_PROMPT);
  return text;
}

const NO_PROMPT = 'No prompt was given. Pass it as an argument, or pipe it in: oxbow exec "fix the failing test".';

/** Reports whether standard input is a pipe, socket or file. A terminal and /dev/null have no input of their own. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isSocket() || stat.isFile();
  } catch {
    return false;
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return decode(Buffer.concat(chunks));
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder().decode(bytes);
}
