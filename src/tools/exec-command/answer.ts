import type { CallEnvironment, Terminal } from '../../base/environment.ts';
import type { ToolResult } from '../../base/tool.ts';
import { formatOutput } from './format-output.ts';

/** Waits for a terminal as long as the call allows, and answers with its output since then. */
export async function answer(
  terminal: Terminal,
  { yieldMs, maxOutputTokens }: { readonly yieldMs: number; readonly maxOutputTokens?: number },
  environment: CallEnvironment,
): Promise<ToolResult> {
  const collected = await terminal.collect(yieldMs, environment.signal);
  const options = {
    chunkId: environment.chunkId(),
    terminalId: terminal.id,
    limit: environment.textLimit,
    maxOutputTokens,
  };
  return {
    output: formatOutput(collected, options),
    success: collected.exitCode === null || collected.exitCode === 0,
  };
}
