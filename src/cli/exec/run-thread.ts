import type { Agent } from '../../app/agent.ts';
import type { ThreadOptions } from '../../app/agent-parts.ts';
import type { AnswerFile } from '../../app/commands/open-answer-file.ts';
import type { Worktree } from '../../app/commands/worktree.ts';
import type { RunOptions, Thread, TurnResult } from '../../app/thread/thread.ts';
import type { Event } from '../../base/event.ts';
import type { Input } from '../../base/input.ts';
import { createExecEvents } from '../../events/exec-events.ts';
import type { TerminalAsk } from '../ask/terminal-ask.ts';
import { interruptSignal } from '../interrupt-signal.ts';
import { type CommandOutput, createOutput } from '../output.ts';
import { createHumanPrinter } from '../print/human.ts';
import { createStyle, type Style, wantsColor, wantsProgress, wantsRows } from '../print/style.ts';
import type { LoadedRows } from '../print/terminal-rows.ts';
import { worded, wordedEvent, wordedMessage } from '../wording.ts';
import { banner } from './banner.ts';
import { createHeader } from './header.ts';
import { toInputEvent } from './input-events.ts';
import { reportWorktree } from './open-worktree.ts';
import type { InputFault } from './run-inputs.ts';
import { runLines } from './run-lines.ts';

export interface ExecRun {
  /** Input of the turn. An empty list when input comes in lines. */
  readonly input: Input;
  /** Whether further input comes in lines on standard input. */
  readonly inputLines: boolean;
  /** Opens the thread of the run. */
  open(options: ThreadOptions): Promise<Thread>;
  /** Model of the thread, if it is not that of the agent. */
  readonly model?: string | undefined;
  /** Converts the model's final answer into the one that is shown. */
  readonly finish?: (answer: string) => string;
  readonly limits: RunOptions['limits'];
  readonly color: string;
  readonly json: boolean;
  /** Whether a terminal gets texts as they are, without Markdown and without wrapping. */
  readonly raw: boolean;
  /** Whether a terminal may get a line of progress. Other output would break that line. */
  readonly progress: boolean;
  readonly outputSchema: unknown;
  readonly answerFile: string | undefined;
  readonly ephemeral: boolean;
  /** Asks the user. Null: an action that needs a question is refused. */
  readonly ask: TerminalAsk | null;
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
    if (!run.json) process.stderr.write(style.dim(howToGoOn(thread, run.ephemeral)));
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
  if (!run.json && !process.stdout.isTTY) output.write(`${answer}\n`);
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

interface EventPrinter {
  print(event: Event): void;
  /** Resolves when every event so far is printed. */
  settled(): Promise<void>;
  /** Erases everything that is not meant to stay. */
  end(): void;
}

/**
 * Returns a printer of JSON lines. The line about the end of a turn goes to `held` if the run ends with it, because
 * items of commands that still run are completed when the agent is closed. Null if more turns may follow.
 */
function jsonPrinter(output: CommandOutput, held: string[] | null): EventPrinter {
  const project = createExecEvents();
  const inputLines = held === null;
  const print = (event: Event) => {
    for (const line of project(event)) {
      const text = `${JSON.stringify(line)}\n`;
      if (held && (line.type === 'turn.completed' || line.type === 'turn.failed')) held.push(text);
      else output.write(text);
    }
    const inputEvent = toInputEvent(event);
    // Codex prints nothing when it is interrupted. Here another turn may follow.
    if (inputEvent && (inputLines || inputEvent.type !== 'turn.aborted'))
      output.write(`${JSON.stringify(inputEvent)}\n`);
  };
  return { print, settled: async () => undefined, end: () => undefined };
}

async function humanPrinter(
  run: ExecRun,
  style: Style,
  { cwd, policy, project, hideReasoning }: Agent['config'],
): Promise<EventPrinter> {
  // A closed standard error must not make the run fail: it only shows progress.
  process.stderr.on('error', () => {});
  const isTerminal = process.stderr.isTTY === true;
  const columns = () => process.stderr.columns || 80;
  const rows = wantsRows(isTerminal, run.raw, process.env) ? await terminalRows(run, columns) : undefined;
  const limits = { sandbox: policy.sandbox, trustHelps: project.sandboxByTrust && !project.trusted };
  const options = { style, live: isTerminal && !rows, folder: cwd, limits, ...(rows && { rows }) };
  const write = isTerminal && run.ask ? run.ask.write : (text: string) => void process.stderr.write(text);
  const isHidden = (event: Event) =>
    hideReasoning && event.type === 'item.completed' && event.item.type === 'reasoning';
  const unless = (print: (event: Event) => void) => (event: Event) => void (isHidden(event) || print(event));
  const whenLoaded = (print: (event: Event) => void) => (rows ? rows.whenLoaded(print) : atOnce(print));
  if (!run.progress || !wantsProgress(isTerminal, process.env))
    return { ...whenLoaded(unless(createHumanPrinter(write, options))), end: () => undefined };
  const { createProgress } = await import('../print/progress.ts');
  const progress = createProgress(write, { style, columns });
  const print = unless(createHumanPrinter(progress.write, { ...options, countsRetries: true }));
  const show = (event: Event) => {
    print(event);
    progress.show(event);
  };
  return { ...whenLoaded(show), end: progress.end };
}

const atOnce = (print: (event: Event) => void) => ({ print, settled: async () => undefined });

async function terminalRows({ color }: ExecRun, columns: () => number): Promise<LoadedRows> {
  const { createTerminalRows, readTerminalLook } = await import('../print/terminal-rows.ts');
  const isColored = wantsColor(color, true, process.env.NO_COLOR);
  return createTerminalRows({ ...readTerminalLook(isColored, process.env), columns });
}

/** Replaces the messages of the model by the converted final answer. */
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
