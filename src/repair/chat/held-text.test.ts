import { describe, expect, test } from 'vitest';
import type { Frame } from '../../base/wire.ts';
import { madeUnit, type Unit, unitWith } from './chunk.ts';
import { createFrameQueue } from './frame-queue.ts';
import { createTextLane } from './held-text.ts';

const unit = (content: string): Unit => madeUnit({}, {}, { content });
const contentsOf = (frames: readonly Frame[]) => frames.map(({ data }) => JSON.parse(data).choices[0].delta.content);

function setUp() {
  const queue = createFrameQueue();
  const lane = createTextLane({
    queue,
    write: (from, content) => (content === '' ? undefined : unitWith(from, { content }).frame),
  });
  const take = () => contentsOf(queue.take());
  return { queue, lane, take };
}

describe('a lane', () => {
  test('passes frames whose text goes out as it came', () => {
    const { queue, lane } = setUp();
    const it = unit('abc');
    lane.pass(it, 'abc', 'abc');
    expect(queue.take()).toEqual([it.frame]);
  });

  test('holds a frame until its text is certain, and all behind it', () => {
    const { queue, lane } = setUp();
    const [first, second, other] = [unit('a<'), unit('b'), unit('other')];
    lane.pass(first, 'a<', 'a');
    queue.put(other.frame);
    expect(queue.take()).toEqual([]);
    lane.pass(second, 'b', '<b');
    expect(queue.take()).toEqual([first.frame, other.frame, second.frame]);
  });

  test('writes another text into the first frame that it is not the text of', () => {
    const { lane, take } = setUp();
    lane.pass(unit('ab'), 'ab', 'a');
    lane.pass(unit('cd'), 'cd', 'bX');
    lane.pass(unit('ef'), 'ef', 'ef');
    expect(take()).toEqual(['ab', 'X', 'ef']);
  });

  test('does not hold much text', () => {
    const { lane, take } = setUp();
    const long = 'x'.repeat(300);
    lane.pass(unit(`${long}<`), `${long}<`, long);
    expect(take()).toEqual([long]);
    lane.pass(unit('b'), 'b', '<b');
    expect(take()).toEqual(['<b']);
  });

  test('gives the rest where its frames are, or gives it back', () => {
    const { lane, take } = setUp();
    expect(lane.finish('rest')).toBe('rest');
    lane.pass(unit('a<'), 'a<', 'a');
    expect(lane.finish('<')).toBe('');
    expect(take()).toEqual(['a<']);
  });

  test('that is locked gives nothing', () => {
    const { lane, take } = setUp();
    lane.locked = true;
    lane.pass(unit('a'), 'a', 'a');
    expect(lane.finish('')).toBe('');
    expect(take()).toEqual([]);
    lane.locked = false;
    lane.settle();
    expect(take()).toEqual(['a']);
  });
});

describe('a frame that was taken apart', () => {
  test('goes out whole if its parts do, at once or later', () => {
    const { queue, lane } = setUp();
    const [whole, first, second] = [unit('whole'), unit('a<'), unit('b')];
    queue.together(whole.frame, [first.frame, second.frame], () => {
      queue.put(first.frame);
      queue.put(second.frame);
    });
    expect(queue.take()).toEqual([whole.frame]);
    queue.together(whole.frame, [first.frame, second.frame], () => {
      lane.pass(first, 'a<', 'a');
      queue.put(second.frame);
    });
    expect(queue.take()).toEqual([]);
    expect(lane.finish('<')).toBe('');
    expect(queue.take()).toEqual([whole.frame]);
  });

  test('stays in parts if one of them is another', () => {
    const { queue, lane, take } = setUp();
    const [whole, first, second] = [unit('whole'), unit('a<'), unit('b')];
    queue.together(whole.frame, [first.frame, second.frame], () => {
      lane.pass(first, 'a<', 'a');
      queue.put(second.frame);
    });
    lane.release();
    expect(take()).toEqual(['a', 'b']);
  });
});
