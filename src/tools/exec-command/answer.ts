import type { Hands, Terminal } from '../../base/environment.ts';
import type { ToolResult } from '../../base/tool.ts';
import { formatOutput } from './format-output.ts';

/** Waits for a terminal as long as the call allows, and answers with what it printed meanwhile. */
export async function answer(
  terminal: Terminal,
  { yieldMs, maxOutputTokens }: { readonly yieldMs: number; readonly maxOutputTokens?: number },
  hands: Hands,
): Promise<ToolResult> {
  const collected = await terminal.collect(yieldMs, hands.signal);
  const options = { chunkId: hands.chunkId(), terminalId: terminal.id, limit: hands.textLimit, maxOutputTokens };
  return {
    output: formatOutput(collected, options),
    success: collected.exitCode === null || collected.exitCode === 0,
  };
}
