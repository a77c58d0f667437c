import type { FrameStep } from './reply-wire.ts';

export const SSE_TYPE = 'text/event-stream; charset=utf-8';

/** Returns a server-sent event. Data of several lines becomes several `data:` lines. */
export function sseFrame(data: string, event?: string): FrameStep {
  const name = event === undefined ? '' : `event: ${event}\n`;
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return { kind: 'frame', bytes: Buffer.from(`${name}${lines.join('')}\n`) };
}
