import type { CommandAction } from '../../base/action.ts';
import { cutMiddle, limitBytes, type TextLimit } from '../../base/bound-text.ts';
import type { CallEnvironment } from '../../base/environment.ts';
import type { ToolResult } from '../../base/tool.ts';

/** Form of the output of a command that ran to its end. */
export type OutputForm = 'json' | 'text';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Longest delay of a timer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
const TIMED_OUT = 124;

/** Returns the times of a command that is killed after its time limit. */
export function timeLimit(ms = DEFAULT_TIMEOUT_MS): Pick<CommandAction, 'yieldMs' | 'timeoutMs'> {
  const timeoutMs = ms >= 1 ? Math.min(ms, MAX_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;
  return { yieldMs: timeoutMs, timeoutMs };
}

/** Runs a command until it ends or its time is up. It is then killed with all processes that it started. */
export async function runToEnd(
  action: CommandAction,
  environment: CallEnvironment,
  form: OutputForm,
): Promise<ToolResult> {
  const tell = form === 'json' ? jsonOutput : textOutput;
  const terminal = await environment.open(action);
  const { text, exitCode, waitedMs } = await terminal.collect(action.yieldMs, environment.signal);
  if (exitCode !== null) {
    return { output: tell({ text, exitCode, waitedMs }, environment.textLimit), success: exitCode === 0 };
  }
  await terminal.kill();
  const note = `command timed out after ${action.yieldMs} milliseconds`;
  const ended = { text: text === '' ? note : `${note}\n${text}`, exitCode: TIMED_OUT, waitedMs };
  return { output: tell(ended, environment.textLimit), success: false, failure: 'timeout' };
}

interface Ended {
  readonly text: string;
  readonly exitCode: number;
  readonly waitedMs: number;
}

/**
 * Returns the output as JSON. Cuts the text until it fits with all its escapes, because JSON that is cut later is
 * broken.
 */
function jsonOutput({ text, exitCode, waitedMs }: Ended, limit: TextLimit): string {
  const metadata = { exit_code: exitCode, duration_seconds: seconds(waitedMs) };
  const room = limitBytes(limit) + JSON.stringify({ output: '', metadata }).length;
  for (let share = limit.limit; ; share = Math.floor(share * 0.8)) {
    const json = JSON.stringify({ output: cutMiddle(text, { ...limit, limit: share }), metadata });
    if (share === 0 || Buffer.byteLength(json) <= room) return json;
  }
}

function textOutput({ text, exitCode, waitedMs }: Ended, limit: TextLimit): string {
  const shown = cutMiddle(text, limit);
  return [
    `Exit code: ${exitCode}`,
    `Wall time: ${seconds(waitedMs)} seconds`,
    ...(shown === text ? [] : [`Total output lines: ${lineCount(text)}`]),
    'Output:',
    shown,
  ].join('\n');
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
