import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Agent, RunOptions, Thread, ThreadOptions } from '../../app/agent.ts';
import { createExecEvents } from '../../app/exec-events.ts';
import type { Worktree } from '../../app/worktree.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import type { Event } from '../../base/event.ts';
import type { Input } from '../../base/input.ts';
import { interruptSignal } from '../interrupt-signal.ts';
import { createOutput, type Output } from '../output.ts';
import { createHumanPrinter } from '../print/human.ts';
import { createStyle, type Style, wantsColor } from '../print/style.ts';
import { reportWorktree } from './open-worktree.ts';

export interface ExecRun {
  readonly input: Input;
  /** Opens the thread to run it in. */
  open(options: ThreadOptions): Promise<Thread>;
  /** Makes of the model's final answer the one that is shown. */
  readonly finish?: (answer: string) => string;
  readonly limits: RunOptions['limits'];
  readonly color: string;
  readonly json: boolean;
  readonly outputSchema: unknown;
  readonly answerFile: string | undefined;
  readonly ephemeral: boolean;
  /** The worktree that was made for this run. */
  readonly worktree: Worktree | null;
}

/** Runs one turn, prints what happens, and gives the exit code. */
export async function runThread(agent: Agent, run: ExecRun): Promise<number> {
  const interrupt = interruptSignal();
  const output = createOutput(interrupt.stop);
  const style = createStyle(wantsColor(run.color, process.stderr.isTTY === true, process.env.NO_COLOR));
  const onEvent = finishing(run.finish, run.json ? jsonPrinter(output) : humanPrinter(style, agent.config.cwd));
  const thread = await run.open({ onEvent, ephemeral: run.ephemeral });
  if (!run.json) process.stderr.write(banner(agent, thread.id, style));
  let code = 1;
  try {
    code = await runTurn(agent, thread, run, { output, signal: interrupt.signal });
  } finally {
    await thread.close();
    // An answer that nobody could read is none, also when the turn was over before that was known.
    if (!(await output.end())) code = 1;
    interrupt.done();
    if (run.worktree) await reportWorktree(run.worktree, agent);
  }
  return code;
}

async function runTurn(
  agent: Agent,
  thread: Thread,
  run: ExecRun,
  { output, signal }: { output: Output; signal: AbortSignal },
): Promise<number> {
  const { limits = {}, outputSchema } = run;
  const result = await thread.run(run.input, { signal, limits, outputSchema });
  if (result.status !== 'completed') return 1;
  const answer = run.finish?.(result.finalResponse) ?? result.finalResponse;
  if (!run.json && !process.stdout.isTTY) output.write(`${answer}\n`);
  if (run.answerFile !== undefined) writeAnswer(resolve(agent.config.cwd, run.answerFile), answer);
  return 0;
}

function jsonPrinter(output: Output): (event: Event) => void {
  const project = createExecEvents();
  return (event) => {
    for (const line of project(event)) output.write(`${JSON.stringify(line)}\n`);
  };
}

function humanPrinter(style: Style, folder: string): (event: Event) => void {
  // Progress that nobody reads is no reason to fail.
  process.stderr.on('error', () => {});
  const live = process.stderr.isTTY === true;
  return createHumanPrinter((text) => process.stderr.write(text), { style, live, folder });
}

/** With a final answer that is made from the model's, the model's own messages are not shown; that answer is. */
function finishing(finish: ExecRun['finish'], print: (event: Event) => void): (event: Event) => void {
  if (!finish) return print;
  return (event) => {
    if (event.type === 'text.delta') return;
    if (event.type === 'item.completed' && event.item.type === 'agent_message') return;
    if (event.type === 'turn.completed') {
      const item = { type: 'agent_message', id: 'answer', text: finish(event.finalResponse) } as const;
      print({ ...event, type: 'item.completed', item });
    }
    print(event);
  };
}

function banner({ config, model, provider }: Agent, threadId: string, { bold, dim }: Style): string {
  const rows = {
    folder: config.cwd,
    model: `${model} (${provider.name})`,
    sandbox: config.policy.sandbox.mode,
    thread: threadId,
  };
  const lines = Object.entries(rows).map(([name, value]) => `${dim(name.padEnd(8))}${value}\n`);
  return `${bold(`oxbow ${OXBOW_VERSION}`)}\n${lines.join('')}`;
}

function writeAnswer(path: string, answer: string): void {
  if (answer === '') process.stderr.write(`warning: the model gave no final answer; ${path} is empty\n`);
  try {
    writeFileSync(path, answer);
  } catch (error) {
    throw new UserError(`The final answer could not be written to ${path}: ${messageOf(error)}`);
  }
}
