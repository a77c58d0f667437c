import { expect, test } from 'vitest';
import { call, gate, type RecordedRequest, reply, say, textsOf } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';
import { KEYS, startTerminal } from '../../harness/start-terminal.ts';

const typed = (request: RecordedRequest | undefined) =>
  request ? textsOf(request).flatMap(({ role, text }) => (role === 'user' ? [text] : [])) : [];

test('a paste of 1 MB is folded, and sent whole', async () => {
  const s = await scene([reply(say('That was long.'))]);
  const terminal = startTerminal([], s);
  await terminal.shows('main');
  const text = Array.from(
    { length: 16_000 },
    (_, n) => `line ${n} of a log that is long enough to be folded, 名前`,
  ).join('\n');
  expect(Buffer.byteLength(text)).toBeGreaterThan(900_000);
  terminal.type('before ');
  terminal.type(KEYS.paste(text));
  await terminal.shows(/› before \[paste 1: 16,000 lines\]/);
  terminal.type(' after\r');
  await terminal.shows('That was long.');
  expect(typed(s.model.requests[0]).at(-1)).toBe(`before ${text} after`);
  // The whole paste is not shown either.
  expect((await terminal.lines()).filter((line) => /line \d+ of a log/.test(line)).length).toBeLessThan(50);
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});

test('an answer of 10,000 lines is in the scrollback once and in order', async () => {
  const answer = Array.from({ length: 10_000 }, (_, n) => `- item ${n} of the list`).join('\n');
  const s = await scene([reply(say(answer), say('The end.'))]);
  const terminal = startTerminal(['make', 'a', 'list'], s);
  await terminal.shows('The end.');
  await terminal.hides('working');
  const numbers = (await terminal.lines()).flatMap((line) => /item (\d+) of/.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, n) => String(n)));
  terminal.type('still quick');
  await terminal.shows('› still quick');
});

test('resizes while an answer streams lose no committed line', async () => {
  const gates = Array.from({ length: 12 }, () => {
    let open = () => {};
    const until = new Promise<void>((resolve) => {
      open = resolve;
    });
    return { until, open };
  });
  const paragraph = (n: number) =>
    Array.from(
      { length: 8 },
      (_, line) => `Marker-${n * 8 + line} stands in a paragraph that is as long as a row of text may be.`,
    );
  const parts = gates.flatMap(({ until }, n) => [say(`${paragraph(n).join('\n\n')}\n\n`), gate(until)]);
  const s = await scene([reply(...parts, say('The end.'))]);
  const terminal = startTerminal(['write', 'a', 'lot'], s);
  const sizes = [
    [60, 24],
    [120, 30],
    [40, 15],
    [200, 50],
    [33, 12],
    [80, 24],
    [79, 23],
    [81, 25],
    [50, 40],
    [100, 20],
    [45, 18],
    [80, 24],
  ] as const;
  for (const [n, { open }] of gates.entries()) {
    await terminal.shows(`Marker-${n * 8 + 7} `);
    const [columns, rows] = sizes[n] ?? [80, 24];
    terminal.resize(columns, rows);
    open();
  }
  await terminal.shows('The end.');
  await terminal.hides('working');
  const lines = (await terminal.lines()).join('\n');
  const seen = [...lines.matchAll(/Marker-(\d+) /g)].map(([, number]) => Number(number));
  // A part that was not finished when the size changed may stay behind, but nothing is lost and the order is kept.
  expect([...new Set(seen)]).toEqual(Array.from({ length: 96 }, (_, n) => n));
  expect(lines.match(/may\s+be\./g)?.length).toBeGreaterThanOrEqual(96);
  expect(seen.length).toBeLessThanOrEqual(96 + sizes.length);
  terminal.type('typed after all that');
  await terminal.shows('› typed after all that');
});

test('Ctrl-O opens what is folded and Ctrl-T the whole thread, both with search', async () => {
  const s = await scene([
    reply(call('exec_command', { cmd: 'seq -f "number %g here" 1 500' })),
    reply(say('Counted.')),
  ]);
  const terminal = startTerminal(['count', 'to', '500'], s);
  await terminal.shows('Counted.');
  await terminal.hides('working');
  await terminal.shows('494 lines, Ctrl-O');
  terminal.type(KEYS.ctrl('o'));
  await terminal.writes('?1049h');
  terminal.type('/number 250 here\r');
  await terminal.shows('number 250 here');
  terminal.type('q');
  await terminal.shows('Counted.');
  expect(terminal.modes()).not.toContain('?1049');
  expect((await terminal.lines()).join('\n')).not.toContain('number 250 here');
  terminal.type(KEYS.ctrl('t'));
  await expect.poll(() => terminal.modes()).toContain('?1049');
  terminal.type('/count to 500\r');
  await terminal.shows('count to 500');
  terminal.type('q');
  await terminal.shows('494 lines, Ctrl-O');
  expect(terminal.modes()).not.toContain('?1049');
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});

test('a terminal that stops reading does not stop the engine, and loses nothing', async () => {
  const long = (n: number) =>
    Array.from({ length: 3000 }, (_, line) => `- entry ${n * 3000 + line} of the answer`).join('\n');
  const s = await scene((_, n) =>
    n <= 5 ? reply(say(long(n - 1)), call('exec_command', { cmd: 'true' })) : reply(say('The end.')),
  );
  const terminal = startTerminal([], s);
  await terminal.shows('main');
  terminal.read(false);
  terminal.type('write and work\r');
  // All requests come although the terminal is not read: more was written than a terminal holds.
  await s.model.waitForRequest(6, { timeoutMs: 60_000 });
  expect(terminal.bytes()).not.toContain('entry 14999 of');
  terminal.read(true);
  await terminal.shows('The end.');
  const numbers = (await terminal.lines()).flatMap((line) => /entry (\d+) of/.exec(line)?.[1] ?? []);
  expect(numbers).toEqual(Array.from({ length: 15_000 }, (_, n) => String(n)));
});
