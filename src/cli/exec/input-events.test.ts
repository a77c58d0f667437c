import { expect, test } from 'vitest';
import type { EventBody } from '../../base/event.ts';
import { inputContent } from '../../prompt/input-content.ts';
import { toInputEvent } from './input-events.ts';

const event = (body: EventBody) => ({ ...body, v: 1, seq: 1, threadId: 't', turnId: null }) as const;

test('input is shown as the user wrote it, with the number of its images', async () => {
  const url = 'data:image/gif;base64,AAAA';
  const content = await inputContent(
    [
      { type: 'text', text: 'one' },
      { type: 'image', url },
      { type: 'image', url },
      { type: 'text', text: 'two' },
    ],
    '/',
  );
  const shown = { id: 'a', text: 'one\n\ntwo', images: 2 };
  expect(toInputEvent(event({ type: 'input.taken', id: 'a', content }))).toEqual({ type: 'input.taken', ...shown });
  const plain = await inputContent('<image of something>', '/');
  const queue = [
    { id: 'a', content },
    { id: 'b', content: plain },
  ];
  expect(toInputEvent(event({ type: 'queue.changed', queue }))).toEqual({
    type: 'queue.changed',
    queue: [shown, { id: 'b', text: '<image of something>' }],
  });
});

test('an interrupted turn has an event, other events have none', () => {
  expect(toInputEvent(event({ type: 'turn.aborted', reason: 'interrupted' }))).toEqual({ type: 'turn.aborted' });
  expect(toInputEvent(event({ type: 'turn.started' }))).toBeUndefined();
});
