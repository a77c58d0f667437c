import { describe, expect, test } from 'vitest';
import type { Frame } from '../../base/wire.ts';
import { madeUnit, type Unit, unitWith } from './chunk.ts';
import { createFrameQueue } from './frame-queue.ts';
import { createHeldText } from './held-text.ts';

const unit = (content: string): Unit => madeUnit({}, {}, { content });
const contentsOf = (frames: readonly Frame[]) => frames.map(({ data }) => JSON.parse(data).choices[0].delta.content);

function setUp() {
  const queue = createFrameQueue();
  const held = createHeldText({
    queue,
    write: (from, content) => (content === '' ? undefined : unitWith(from, { content }).frame),
  });
  const take = () => contentsOf(queue.take());
  return { queue, held, take };
}

describe('a held text', () => {
  test('passes frames whose text is unchanged', () => {
    const { queue, held } = setUp();
    const it = unit('abc');
    held.pass(it, 'abc', 'abc');
    expect(queue.take()).toEqual([it.frame]);
  });

  test('holds a frame until its text is certain, and all frames after it', () => {
    const { queue, held } = setUp();
    const [first, second, other] = [unit('a<'), unit('b'), unit('other')];
    held.pass(first, 'a<', 'a');
    queue.put(other.frame);
    expect(queue.take()).toEqual([]);
    held.pass(second, 'b', '<b');
    expect(queue.take()).toEqual([first.frame, other.frame, second.frame]);
  });

  test('writes a changed text into the first frame that differs', () => {
    const { held, take } = setUp();
    held.pass(unit('ab'), 'ab', 'a');
    held.pass(unit('cd'), 'cd', 'bX');
    held.pass(unit('ef'), 'ef', 'ef');
    expect(take()).toEqual(['ab', 'X', 'ef']);
  });

  test('does not hold much text that is undecided', () => {
    const { held, take } = setUp();
    const long = 'x'.repeat(300);
    held.pass(unit(`a<${long}`), `a<${long}`, 'a');
    expect(take()).toEqual(['a']);
    held.pass(unit('b'), 'b', `<${long}b`);
    expect(take()).toEqual([`<${long}b`]);
  });

  test('cuts no frame because of text that is certain', () => {
    const { held, take } = setUp();
    const long = `${'x'.repeat(300)}<`;
    held.pass(unit(long), long, 'x'.repeat(300));
    expect(take()).toEqual([]);
    held.pass(unit('b<'), 'b<', '<b');
    expect(take()).toEqual([long]);
    held.pass(unit('c'), 'c', '<c');
    expect(take()).toEqual(['b<', 'c']);
  });

  test('emits the rest in its held frames, or returns it', () => {
    const { held, take } = setUp();
    expect(held.finish('rest')).toBe('rest');
    held.pass(unit('a<'), 'a<', 'a');
    expect(held.finish('<')).toBe('');
    expect(take()).toEqual(['a<']);
  });

  test('that is locked emits nothing', () => {
    const { held, take } = setUp();
    held.locked = true;
    held.pass(unit('a'), 'a', 'a');
    expect(held.finish('')).toBe('');
    expect(take()).toEqual([]);
    held.locked = false;
    held.settle();
    expect(take()).toEqual(['a']);
  });
});

describe('a frame that was split', () => {
  test('goes out whole if its parts do, at once or later', () => {
    const { queue, held } = setUp();
    const [whole, first, second] = [unit('whole'), unit('a<'), unit('b')];
    queue.together(whole.frame, [first.frame, second.frame], () => {
      queue.put(first.frame);
      queue.put(second.frame);
    });
    expect(queue.take()).toEqual([whole.frame]);
    queue.together(whole.frame, [first.frame, second.frame], () => {
      held.pass(first, 'a<', 'a');
      queue.put(second.frame);
    });
    expect(queue.take()).toEqual([]);
    expect(held.finish('<')).toBe('');
    expect(queue.take()).toEqual([whole.frame]);
  });

  test('stays split if one part changed', () => {
    const { queue, held, take } = setUp();
    const [whole, first, second] = [unit('whole'), unit('a<'), unit('b')];
    queue.together(whole.frame, [first.frame, second.frame], () => {
      held.pass(first, 'a<', 'a');
      queue.put(second.frame);
    });
    held.release();
    expect(take()).toEqual(['a', 'b']);
  });
});
