import type { LogLine } from '../base/log.ts';
import type { StoredLine } from '../base/thread-store.ts';

/** Returns a line as Codex writes it, with a line feed. Without an ordinal it is an old one. For tests. */
export function lineText(line: object, ordinal?: number, timestamp = '2026-01-02T03:04:05.000Z'): string {
  return `${JSON.stringify({ timestamp, ...(ordinal === undefined ? {} : { ordinal }), ...line })}\n`;
}

export function metaLine(id: string, more: object = {}): object {
  const payload = { id, session_id: id, timestamp: '2026-01-02T03:04:05.000Z', cwd: '/work', source: 'cli', ...more };
  return { type: 'session_meta', payload };
}

export function said(text: string, role: 'user' | 'assistant' = 'user'): LogLine {
  const type = role === 'user' ? 'input_text' : 'output_text';
  return { type: 'response_item', payload: { type: 'message', role, content: [{ type, text }] } };
}

export function event(type: string, more: object = {}): LogLine {
  return { type: 'event_msg', payload: { type, ...more } } as unknown as LogLine;
}

/** Returns the complete lines of a text, as a store does. */
export async function* storedLines(text: string, label = 'a file'): AsyncGenerator<StoredLine, void, undefined> {
  const lines = text.split('\n').slice(0, -1);
  for (const [index, line] of lines.entries()) yield { label, number: index + 1, bytes: Buffer.from(line) };
}
