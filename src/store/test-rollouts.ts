import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { LogLine } from '../base/log.ts';

/** For tests: a home that is gone after the test. */
export function testHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'rollouts-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A line as Codex writes it. Without a number it is an old one. */
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

/** Writes a rollout; gives its path. `time` is that of its name. */
export function writeRollout(home: string, id: string, text: string, time = '2026-01-02T03-04-05'): string {
  const day = time.slice(0, 10).split('-');
  const path = join(home, 'sessions', ...day, `rollout-${time}-${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
