import type { Agent } from '../../app/agent.ts';
import type { ThreadOptions } from '../../app/agent-parts.ts';
import type { AnswerFile } from '../../app/commands/open-answer-file.ts';
import type { Worktree } from '../../app/commands/worktree.ts';
import type { RunOptions, Thread, TurnResult } from '../../app/thread/thread.ts';
import type { Event } from '../../base/event.ts';
import type { Input } from '../../base/input.ts';
import { interruptSignal } from '../interrupt-signal.ts';
import { type CommandOutput, createOutput } from '../output.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import { worded, wordedEvent, wordedMessage } from '../wording.ts';
import { banner } from './banner.ts';
import { finishing, humanPrinter, jsonPrinter, type ShownRun } from './event-printer.ts';
import { createHeader } from './header.ts';
import { reportWorktree } from './open-worktree.ts';
import type { InputFault } from './run-inputs.ts';
import { runLines } from './run-lines.ts';

export interface ExecRun extends ShownRun {
  /** Input of the turn. An empty list when input comes in lines. */
  readonly input: Input;
  /** Whether further input comes in lines on standard input. */
  readonly inputLines: boolean;
  /** Opens the thread of the run. */
  open(options: ThreadOptions): Promise<Thread>;
  /** Model of the thread, if it is not that of the agent. */
  readonly model?: string | undefined;
  readonly limits: RunOptions['limits'];
  readonly json: boolean;
  readonly outputSchema: unknown;
  readonly answerFile: string | undefined;
  readonly ephemeral: boolean;
  /** Worktree that was made for this run. */
  readonly worktree: Worktree | null;
}

/** Runs one turn, or turns as long as input comes, and prints their events. Returns the exit code. */
export async function runThread(agent: Agent, run: ExecRun): Promise<number> {
  // Before the first request, since commands can change where a name leads.
  const answerFile = await openAnswer(agent, run.answerFile);
  const interrupt = interruptSignal();
  const output = createOutput(interrupt.stop);
  const style = createStyle(wantsColor(run.color, process.stderr.isTTY === true, process.env.NO_COLOR));
  const held: string[] = [];
  const { print, settled, end } = run.json
    ? jsonPrinter(output, run.inputLines ? null : held)
    : await humanPrinter(run, style, agent.config);
  const show = finishing(run.finish, print);
  const header = createHeader(show);
  const onEvent = (event: Event) => header.show(wordedEvent(event));
  const { ask: terminal } = run;
  const ask: ThreadOptions['ask'] = terminal ? (asked, signal) => terminal.answer(asked, signal, interrupt) : undefined;
  const thread = await run
    .open({ onEvent, ephemeral: run.ephemeral, ...(run.model && { model: run.model }), ...(ask && { ask }) })
    .catch((error) => {
      header.end();
      end();
      answerFile?.close();
      throw error;
    });
  const named = run.model ?? agent.model;
  header.begin(run, (used = named) => process.stderr.write(banner(agent, used, thread.id, style)));
  let code = 1;
  try {
    const parts = { thread, run, output, answerFile, signal: interrupt.signal };
    code = await runTurns(parts).finally(settled);
    if (!run.json) process.stderr.write(howToGoOn(thread, run.ephemeral));
  } catch (error) {
    if (run.json) printFailure(output, error);
    throw error;
  } finally {
    header.end();
    end();
    await agent.close();
    for (const line of held) output.write(line);
    answerFile?.close();
    // A run whose answer could not be read has failed, even if the turn had ended before.
    if (!(await output.end())) code = 1;
    interrupt.done();
    if (run.worktree) await reportWorktree(run.worktree, agent);
  }
  return code === 0 ? 0 : (interrupt.exitCode() ?? code);
}

async function openAnswer({ config }: Agent, name: string | undefined): Promise<AnswerFile | undefined> {
  if (name === undefined) return undefined;
  return (await import('../../app/commands/open-answer-file.ts')).openAnswerFile(name, config);
}

interface RunParts {
  readonly thread: Thread;
  readonly run: ExecRun;
  readonly output: CommandOutput;
  readonly answerFile: AnswerFile | undefined;
  readonly signal: AbortSignal;
}

async function runTurns(parts: RunParts): Promise<number> {
  const { thread, run, signal } = parts;
  const options = { limits: run.limits ?? {}, uncheckedSchema: run.outputSchema };
  const onCompleted = (result: Pick<TurnResult, 'finalResponse'>) => printAnswer(parts, result);
  if (run.inputLines) {
    const onFault = (fault: InputFault) => printFault(parts, fault);
    return runLines({ thread, first: run.input, options, signal, onFault, onCompleted });
  }
  const result = await thread.run(run.input, { ...options, signal });
  if (result.status !== 'completed') return 1;
  onCompleted(result);
  return 0;
}

function printFault({ run, output }: RunParts, fault: InputFault): void {
  const { line, id } = fault;
  const message = `Line ${line} of the input: ${worded(fault)}`;
  if (!run.json) process.stderr.write(`error: ${message}\n`);
  else output.write(`${JSON.stringify({ type: 'error', message, line, ...(id === undefined ? {} : { id }) })}\n`);
}

/** Prints that a turn could not run, as it is printed for a turn that failed. */
function printFailure(output: CommandOutput, error: unknown): void {
  const message = wordedMessage(error);
  output.write(`${JSON.stringify({ type: 'error', message })}\n`);
  output.write(`${JSON.stringify({ type: 'turn.failed', error: { message } })}\n`);
}

function printAnswer(parts: RunParts, { finalResponse }: Pick<TurnResult, 'finalResponse'>): void {
  const { run, output, answerFile } = parts;
  const answer = run.finish?.(finalResponse) ?? finalResponse;
  // On a terminal the events on standard error show the answer already.
  if (!run.json && !(process.stdout.isTTY && process.stderr.isTTY)) output.write(`${answer}\n`);
  const isEmpty = answer.trim() === '';
  const file = answerFile === undefined ? '' : `; ${answerFile.path} is empty`;
  if (isEmpty && (answerFile || !run.json)) process.stderr.write(`warning: the model gave no final answer${file}\n`);
  answerFile?.write(answer);
}

function howToGoOn({ id, queue }: Thread, ephemeral: boolean): string {
  if (queue.length > 0)
    return `Input still queued: ${queue.length}. It is sent before the next input: oxbow exec resume ${id}\n`;
  return ephemeral ? '' : `To go on: oxbow exec resume ${id}\n`;
}
