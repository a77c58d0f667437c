import type { TuiMessage } from '../message.ts';
import type { Entry } from '../view/entry.ts';

/** Returns the message that puts a sentence into the scrollback. */
export const told = (text: string, tone: 'plain' | 'dim' | 'warning' | 'error' = 'dim'): TuiMessage => ({
  type: 'said',
  entries: [{ kind: 'notice', tone, text }],
});

/** Returns the message that puts a table of names and values into the scrollback. */
export function table(title: string, rows: readonly (readonly [name: string, value: string])[]): TuiMessage {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`.trimEnd());
  const entry: Entry = { kind: 'notice', tone: 'plain', text: [title, ...lines].join('\n') };
  return { type: 'said', entries: [entry] };
}
