import type { TerminalInputAction } from '../../base/action.ts';
import type { CallEnvironment, Terminal } from '../../base/environment.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { ToolResult } from '../../base/tool.ts';
import { answer } from '../exec-command/answer.ts';
import type { ToolSettings } from '../tool-entry.ts';

/** Types into a terminal or polls it, for a tool. The message of a failure begins with the name of the tool. */
export type TerminalInput = (
  tool: string,
  action: TerminalInputAction,
  environment: CallEnvironment,
) => Promise<ToolResult>;

/** Time that a program has to react to typed input before the wait for its output begins. */
const SETTLE_MS = 100;

const inputs = new WeakMap<ToolSettings, TerminalInput>();

/** Returns the terminal input that the tools with these settings share. */
export function terminalInputOf(settings: ToolSettings): TerminalInput {
  const input = inputs.get(settings) ?? createTerminalInput();
  inputs.set(settings, input);
  return input;
}

/** Returns the terminal input for all tools of one thread. The calls on one terminal run one after the other. */
export function createTerminalInput(): TerminalInput {
  const last = new Map<number, Promise<unknown>>();
  return async (tool, action, environment) => {
    const before = last.get(action.terminalId);
    const call = (async () => {
      await before?.catch(() => undefined);
      environment.signal.throwIfAborted();
      return typeAndAnswer(tool, action, environment);
    })();
    last.set(action.terminalId, call);
    try {
      return await call;
    } finally {
      if (last.get(action.terminalId) === call) last.delete(action.terminalId);
    }
  };
}

async function typeAndAnswer(
  tool: string,
  action: TerminalInputAction,
  environment: CallEnvironment,
): Promise<ToolResult> {
  const terminal = environment.terminal(action.terminalId);
  if (!terminal) throw failed(tool, `Unknown process id ${action.terminalId}`);
  if (action.chars !== '') await type(tool, terminal, action.chars, environment.signal);
  return answer(terminal, action, environment);
}

async function type(tool: string, terminal: Terminal, chars: string, signal: AbortSignal): Promise<void> {
  try {
    await terminal.write(chars);
  } catch (error) {
    throw failed(tool, messageOf(error), error);
  }
  await settle(signal);
}

function settle(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, SETTLE_MS);
    signal.addEventListener('abort', done);
  });
}

function failed(tool: string, reason: string, cause?: unknown): ToolFailure {
  return new ToolFailure('execution', `${tool} failed: ${reason}`, { cause });
}
