import { createInterface } from 'node:readline/promises';

/** Whether somebody is there to be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on the terminal. Anything but yes is a no, the end of the input too. */
export async function confirm(question: string): Promise<boolean> {
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<string>((resolve) => dialogue.once('close', () => resolve('')));
  const answer = await Promise.race([dialogue.question(`${question} [y/N] `), ended]);
  dialogue.close();
  return /^y(es)?$/i.test(answer.trim());
}
