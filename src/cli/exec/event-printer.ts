import type { Agent } from '../../app/agent.ts';
import type { Event } from '../../base/event.ts';
import { createExecEvents } from '../../events/exec-events.ts';
import type { TerminalAsk } from '../ask/terminal-ask.ts';
import type { CommandOutput } from '../output.ts';
import { createHumanPrinter } from '../print/human.ts';
import { type Style, wantsColor, wantsProgress, wantsRows } from '../print/style.ts';
import type { LoadedRows } from '../print/terminal-rows.ts';
import { toInputEvent } from './input-events.ts';

/** The part of a run that decides how its events are shown. */
export interface ShownRun {
  readonly color: string;
  /** Whether a terminal gets texts as they are, without Markdown and without wrapping. */
  readonly raw: boolean;
  /** Whether a terminal may get a line of progress. Other output would break that line. */
  readonly progress: boolean;
  /** Asks the user. Null: an action that needs a question is refused. */
  readonly ask: TerminalAsk | null;
  /** Converts the model's final answer into the one that is shown. */
  readonly finish?: (answer: string) => string;
}

/** A printer of the events of a run. */
export interface EventPrinter {
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
export function jsonPrinter(output: CommandOutput, held: string[] | null): EventPrinter {
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

/** Returns a printer for people. */
export async function humanPrinter(
  run: ShownRun,
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

async function terminalRows({ color }: ShownRun, columns: () => number): Promise<LoadedRows> {
  const { createTerminalRows, readTerminalLook } = await import('../print/terminal-rows.ts');
  const isColored = wantsColor(color, true, process.env.NO_COLOR);
  return createTerminalRows({ ...readTerminalLook(isColored, process.env), columns });
}

/** Replaces the messages of the model by the converted final answer. */
export function finishing(finish: ShownRun['finish'], print: (event: Event) => void): (event: Event) => void {
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
