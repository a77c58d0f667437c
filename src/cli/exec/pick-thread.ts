import { openSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline/promises';
import { ReadStream, WriteStream } from 'node:tty';
import type { Agent } from '../../app/agent.ts';
import type { ThreadSummary } from '../../app/threads/threads.ts';
import { UserError } from '../../base/errors.ts';
import { UsageError } from '../parse-options.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import { formatTable } from '../threads/format-list.ts';
import { noThreadNamed } from './exec-task.ts';

export interface PickOptions {
  /** Whether the threads of all folders are listed. */
  readonly anyFolder: boolean;
  /** Whether to ask for the prompt too. */
  readonly needsPrompt: boolean;
}

/** The thread that the user picked, and the prompt for it. */
export interface PickedThread {
  readonly id: string;
  readonly prompt: string | undefined;
}

interface Dialogue {
  readonly dialogue: Interface;
  /** Lines that were typed, also those that came before their question. */
  readonly lines: AsyncIterator<string, undefined>;
}

const MOST_THREADS = 15;

/** Lets the user pick a thread from a list. Asks on the controlling terminal, since standard input may be a prompt. */
export async function pickThread(agent: Agent, { anyFolder, needsPrompt }: PickOptions): Promise<PickedThread> {
  const threads: ThreadSummary[] = [];
  const query = { limit: MOST_THREADS, ...(anyFolder ? {} : { cwd: agent.config.cwd }) };
  for await (const thread of agent.threads.list(query)) threads.push(thread);
  // Its error says that there are none, and what to do.
  if (threads.length === 0) return { id: await agent.lastThread({ anyFolder }), prompt: undefined };
  const { input, output } = openTerminal();
  const dialogue = createInterface({ input, output });
  try {
    output.write(formatChoices(threads, anyFolder, output.columns || 80));
    const terminal = { dialogue, lines: dialogue[Symbol.asyncIterator]() };
    const { id } = await askNumber(terminal, threads);
    return { id, prompt: needsPrompt ? await ask(terminal, 'Prompt: ') : undefined };
  } finally {
    dialogue.close();
    input.destroy();
    output.destroy();
  }
}

function openTerminal(): { readonly input: ReadStream; readonly output: WriteStream } {
  try {
    return { input: new ReadStream(openSync('/dev/tty', 'r')), output: new WriteStream(openSync('/dev/tty', 'w')) };
  } catch {
    throw new UsageError(noThreadNamed('resume'));
  }
}

function formatChoices(threads: readonly ThreadSummary[], folders: boolean, columns: number): string {
  const style = createStyle(wantsColor('auto', true, process.env.NO_COLOR));
  const [heading = '', ...rows] = formatTable(threads, { style, columns: columns - 4, now: Date.now(), folders })
    .trimEnd()
    .split('\n');
  return [`    ${heading}`, ...rows.map((row, n) => `${String(n + 1).padStart(2)}  ${row}`), ''].join('\n');
}

async function askNumber(terminal: Dialogue, threads: readonly ThreadSummary[]): Promise<ThreadSummary> {
  for (;;) {
    const answer = (await ask(terminal, `Resume which thread? [1-${threads.length}, Enter for the newest] `)).trim();
    const chosen = threads[answer === '' ? 0 : Number(answer) - 1];
    if (chosen) return chosen;
  }
}

/** Asks for a line. Ctrl-C and the end of the input end the command. */
async function ask({ dialogue, lines }: Dialogue, question: string): Promise<string> {
  dialogue.setPrompt(question);
  dialogue.prompt();
  const { value, done } = await lines.next();
  if (done) throw new UserError('invalid_input', 'No thread was resumed.');
  return value;
}
