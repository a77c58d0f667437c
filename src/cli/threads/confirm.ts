import { createInterface } from 'node:readline/promises';

/** Reports whether there is a user to ask. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on the terminal. Every answer except yes means no, and so does the end of the input. */
export async function confirm(question: string): Promise<boolean> {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<undefined>((resolve) => dialogue.once('close', () => resolve(undefined)));
  const answer = await Promise.race([dialogue.question(`${question} [y/N] `), ended]);
  // The question has its line to itself, also where no answer ended the line.
  if (answer === undefined) process.stderr.write('\n');
  dialogue.close();
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}
