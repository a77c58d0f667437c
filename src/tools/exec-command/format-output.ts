import { cutMiddleWithWarning, type TextLimit, tighter, tokensOf } from '../../base/bound-text.ts';
import type { Collected } from '../../base/environment.ts';

export interface FormatOptions {
  /** Six hex digits that identify this piece of output. */
  readonly chunkId: string;
  readonly terminalId: number;
  readonly limit: TextLimit;
  readonly maxOutputTokens: number | undefined;
}

const DEFAULT_MAX_OUTPUT_TOKENS = 10_000;

/** Returns the answer of a command tool: a piece of output below a header with the state of the process. */
export function formatOutput(collected: Collected, options: FormatOptions): string {
  const asked: TextLimit = { unit: 'tokens', limit: options.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS };
  const state =
    collected.exitCode === null
      ? `Process running with session ID ${options.terminalId}`
      : `Process exited with code ${collected.exitCode}`;
  return [
    `Chunk ID: ${options.chunkId}`,
    `Wall time: ${(collected.waitedMs / 1000).toFixed(4)} seconds`,
    state,
    `Original token count: ${tokensOf(new TextEncoder().encode(collected.text).length)}`,
    'Output:',
    cutMiddleWithWarning(collected.text, tighter(options.limit, asked)),
  ].join('\n');
}
