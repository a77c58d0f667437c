import { expect, test } from 'vitest';
import { type Line, span } from '../../text/span.ts';
import { createScreen } from './create-screen.ts';
import type { ScreenFrame } from './frame.ts';
import { ASK_CURSOR, SET_MODES, UNDO_MODES } from './modes.ts';

/** Returns a screen with a clock that the test moves, and a terminal that takes bytes when the test says so. */
function start({ isStalled = false } = {}) {
  let now = 0;
  let timers: { readonly at: number; readonly call: () => void }[] = [];
  const taken: (() => void)[] = [];
  const world = {
    written: [] as string[],
    frames: 0,
    size: { columns: 40, rows: 10 },
    commit: [] as Line[],
    text: 'text',
    caret: 0,
    page: false,
    isStalled,
    /** Lets the terminal take the write in flight. */
    take: () => taken.shift()?.(),
    pass(ms: number) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter((timer) => !due.includes(timer));
      for (const { call } of due) call();
    },
  };
  const screen = createScreen({
    depth: 'none',
    now: () => now,
    size: () => world.size,
    write(bytes, done) {
      world.written.push(bytes);
      if (world.isStalled) taken.push(done);
      else done();
    },
    frame(): ScreenFrame {
      world.frames += 1;
      const rows = [[span(world.text)]];
      if (world.page) return { kind: 'page', rows, caret: null };
      const { commit } = world;
      world.commit = [];
      return { kind: 'inline', commit, live: rows, caret: { row: 0, column: world.caret } };
    },
    setTimer(ms, call) {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  });
  const last = () => world.written.at(-1) ?? '';
  return { screen, world, last };
}

test('the modes are set once, and not before something would undo them', () => {
  const { screen, world, last } = start();
  screen.invalidate('soon');
  expect(last()).toContain('text');
  expect(last()).not.toContain(SET_MODES);
  screen.setModes();
  expect(last()).toBe(SET_MODES);
  screen.setModes();
  world.text = 'more';
  screen.invalidate('now');
  expect(world.written.join('').split(SET_MODES)).toHaveLength(2);
});

test('at most 30 frames a second are drawn, and a key does not wait', () => {
  const { screen, world } = start();
  for (let token = 0; token < 1000; token += 1) {
    world.text = `token ${token}`;
    screen.invalidate('soon');
    world.pass(1);
  }
  expect(world.frames).toBeGreaterThan(24);
  expect(world.frames).toBeLessThanOrEqual(31);
  const { frames } = world;
  screen.invalidate('now');
  expect(world.frames).toBe(frames + 1);
});

test('a terminal that takes nothing gets no frames, and afterwards the newest one with every committed row', () => {
  const { screen, world, last } = start({ isStalled: true });
  screen.invalidate('now');
  for (let key = 0; key < 100; key += 1) {
    world.text = `key ${key}`;
    world.commit = [...world.commit, [span(`row ${key}`)]];
    screen.invalidate(key % 2 === 0 ? 'now' : 'soon');
    world.pass(20);
  }
  expect(world.frames).toBe(1);
  world.take();
  expect(world.frames).toBe(2);
  for (let key = 0; key < 100; key += 1) expect(last()).toContain(`row ${key}`);
  expect(last()).toContain('key 99');
});

test('sequences go with the next frame, or alone', () => {
  const { screen, world, last } = start({ isStalled: true });
  screen.invalidate('now');
  screen.send('\u0007');
  world.text = 'other';
  screen.invalidate('now');
  world.take();
  expect(last().startsWith('\u0007\u001b[?2026h')).toBe(true);
  expect(last()).toContain('other');
  world.take();
  screen.send('\u0007');
  expect(last()).toBe('\u0007');
});

test('a resize waits until the size has settled', () => {
  const { screen, world } = start();
  screen.invalidate('now');
  for (const columns of [39, 38, 37]) {
    world.size = { columns, rows: 10 };
    screen.resized();
    world.pass(20);
    screen.invalidate('now');
  }
  expect(world.frames).toBe(1);
  world.pass(5);
  expect(world.frames).toBe(2);
});

test('a size that nobody told of is noticed before a frame is painted for another', () => {
  const { screen, world } = start();
  screen.invalidate('now');
  world.size = { columns: 20, rows: 10 };
  screen.invalidate('now');
  expect(world.frames).toBe(1);
  world.pass(25);
  expect(world.frames).toBe(2);
});

test.each([
  ['wrapped the row of the caret', { row: 1, column: 6 }, '\u001b[1A\r\u001b[K\u001b[2G\u001b[J'],
  ['cut it', { row: 1, column: 20 }, '\r\u001b[K\u001b[2G\u001b[J'],
  ['does not answer', undefined, '\r\u001b[K\u001b[2G\u001b[J'],
])('the cursor is asked for where the caret may have moved: the terminal %s', (_, report, erases) => {
  const { screen, world, last } = start();
  world.text = 'x'.repeat(30);
  world.caret = 25;
  screen.invalidate('now');
  world.size = { columns: 20, rows: 10 };
  screen.resized();
  world.pass(25);
  expect(last()).toBe(ASK_CURSOR);
  if (report === undefined) world.pass(50);
  else screen.cursorReport(report);
  expect(last()).toContain(`\u001b[?2026h${erases}`);
  const count = world.written.length;
  screen.cursorReport({ row: 1, column: 1 });
  expect(world.written.length).toBe(count);
});

test('another program gets a clean terminal, and ours comes back', async () => {
  const { screen, world, last } = start({ isStalled: true });
  screen.invalidate('now');
  screen.setModes();
  world.take();
  const suspended = screen.suspend();
  world.take();
  expect(last()).toBe(`\u001b[?2026h\r\u001b[K\r\u001b[?2026l${UNDO_MODES}`);
  world.take();
  await suspended;
  screen.invalidate('now');
  world.pass(100);
  expect(world.frames).toBe(1);
  screen.resume();
  expect(last()).toMatch(/text/);
  expect(last().startsWith(SET_MODES)).toBe(true);
});

test('the end commits what is left and undoes the modes', async () => {
  const { screen, world, last } = start();
  screen.invalidate('now');
  screen.setModes();
  world.commit = [[span('A last row')]];
  await screen.close();
  expect(last()).toContain('A last row\r\n');
  expect(last().endsWith(UNDO_MODES)).toBe(true);
  const count = world.written.length;
  screen.invalidate('now');
  screen.resized();
  world.pass(100);
  await screen.close();
  expect(world.written.length).toBe(count);
});

test('a cursor that was cut off at a size in between is not taken for that of a wrapped row', () => {
  const { screen, world, last } = start();
  world.text = 'x'.repeat(30);
  world.caret = 25;
  screen.invalidate('now');
  for (const columns of [6, 20]) {
    world.size = { columns, rows: 10 };
    screen.resized();
  }
  world.pass(25);
  expect(last()).toContain('\u001b[?2026h\r\u001b[K\u001b[2G\u001b[J');
});
