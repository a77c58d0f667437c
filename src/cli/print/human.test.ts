import { expect, test } from 'vitest';
import type { CommandItem, Event, EventBody } from '../../base/event.ts';
import { EMPTY_LEDGER, type Ledger } from '../../base/ledger.ts';
import { NO_USAGE } from '../../base/usage.ts';
import { createHumanPrinter } from './human.ts';

const plain = (text: string) => text;
const style = { dim: plain, cyan: plain, red: plain, green: plain, bold: plain };

function shown(events: readonly EventBody[]): string {
  let text = '';
  let clock = 0;
  const now = () => (clock += 1500);
  const print = createHumanPrinter((part) => (text += part), { style, live: true, now });
  for (const [n, event] of events.entries()) print({ v: 1, seq: n + 1, threadId: 'T', turnId: 'U', ...event } as Event);
  return text;
}

const repair = (id: string) =>
  ({ type: 'repair', id, title: 'was wrong', frame: 1, callId: null, before: 'a\nb', after: 'x'.repeat(80) }) as const;
const delta = (text: string) => ({ type: 'text.delta', itemId: 'm', delta: text }) as const;
const message = { type: 'item.completed', item: { type: 'agent_message', id: 'm', text: 'one two' } } as const;

test('each kind of repair is shown once in a turn, on one short line', () => {
  const line = `repair A1: was wrong (a b -> ${'x'.repeat(60)}…)\n`;
  expect(shown([repair('A1'), repair('A1')])).toBe(line);
  expect(shown([repair('A1'), { type: 'turn.started' }, repair('A1')])).toBe(line + line);
});

test('a repair does not break a text that is being written', () => {
  const text = shown([delta('one '), repair('A2'), delta('two'), message]);
  expect(text).toBe(`\none two\nrepair A2: was wrong (a b -> ${'x'.repeat(60)}…)\n`);
});

test('a turn ends with its time and tokens, and its error comes last', () => {
  const ledger = (cost: Ledger['cost'], requests = 1) => {
    const usage = { ...NO_USAGE, inputTokens: 12_000, cachedInputTokens: 2000, outputTokens: 345 };
    return { type: 'turn.ledger', ledger: { ...EMPTY_LEDGER, requests, usage, cost } } as const;
  };
  const start = { type: 'turn.started' } as const;
  const completed = { type: 'turn.completed', usage: NO_USAGE, finalResponse: '' } as const;
  const failed = { type: 'turn.failed', error: { code: 'limit', message: 'enough' } } as const;
  expect(shown([start, ledger(0.5), completed])).toBe('\ntokens used: 10,345, $0.5000, 1.5s\n');
  expect(shown([start, ledger(12.345), completed])).toBe('\ntokens used: 10,345, $12.35, 1.5s\n');
  expect(shown([start, ledger(null), failed])).toBe('\ntokens used: 10,345, 1.5s\nERROR: enough\n');
  expect(shown([start, ledger(0, 0), failed])).toBe('ERROR: enough\n');
  // A server that counts no tokens.
  const uncounted = { type: 'turn.ledger', ledger: { ...EMPTY_LEDGER, requests: 1, cost: null } } as const;
  expect(shown([start, uncounted, completed])).toBe('\ntook 1.5s\n');
});

test('of a command only its end has a colour: the advice after it is read on light and dark screens', () => {
  let text = '';
  const red = (part: string) => `<${part}>`;
  const print = createHumanPrinter((part) => (text += part), { style: { ...style, red }, live: true });
  const base = { type: 'command', argv: ['ls'], cwd: '/', output: '', durationMs: 100 } as const;
  const because = (message: string) => ({ reason: { cause: 'rule', message } }) as const;
  const items: CommandItem[] = [
    { ...base, id: 'a', status: 'declined', exitCode: null, ...because('A rule forbids it.') },
    { ...base, id: 'b', status: 'failed', exitCode: 1, ...because('Perhaps a rule.') },
  ];
  for (const item of items) print({ v: 1, seq: 1, threadId: 'T', turnId: 'U', type: 'item.completed', item });
  expect(text).toBe('$ ls\n  <not run>: A rule forbids it.\n$ ls\n  <exit 1 in 0.1s>: Perhaps a rule.\n');
});
