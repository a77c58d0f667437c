import { expect, test } from 'vitest';
import { ModelError } from '../base/errors.ts';
import type { Model, ModelRequest, StreamedEvent } from '../base/model.ts';
import { type Fallback, withFallback } from './with-fallback.ts';

const options = { signal: new AbortController().signal, turnId: 't' };
const request = {} as ModelRequest;
const refused = (status: number) => new ModelError('unexpected_status', `status ${status}`, { status });

function modelOf(answer: string | ModelError): Model & { asked: number } {
  const model = {
    asked: 0,
    maxStreamRetries: 5,
    retryDelayMs: () => 1,
    async *stream(): AsyncGenerator<StreamedEvent> {
      model.asked++;
      if (answer instanceof ModelError) throw answer;
      yield { type: 'created', responseId: answer };
    },
  };
  return model;
}

/** Fails the test when the fallback answers, unless it may. */
const fallbackTo = (second: Model, more: Partial<Fallback> = {}): Fallback => ({
  open: async () => second,
  isKnown: () => false,
  onSwitch: expect.fail,
  ...more,
});

async function eventsOf(model: Model): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of model.stream(request, options)) events.push(event);
  return events;
}

test.each([404, 405])('a server that answers %i is asked the other way, from then on only so', async (status) => {
  const [first, second] = [modelOf(refused(status)), modelOf('chat')];
  let switched = 0;
  const model = withFallback(first, fallbackTo(second, { onSwitch: () => switched++ }));
  expect(await eventsOf(model)).toEqual([{ type: 'created', responseId: 'chat' }]);
  expect(await eventsOf(model)).toHaveLength(1);
  expect([first.asked, second.asked, switched]).toEqual([1, 2, 1]);
});

test('other failures and answers stay with the first way', async () => {
  const second = modelOf('chat');
  const failing = withFallback(modelOf(refused(500)), fallbackTo(second));
  await expect(eventsOf(failing)).rejects.toThrow('status 500');
  expect(await eventsOf(withFallback(modelOf('first'), fallbackTo(second)))).toHaveLength(1);
  expect(second.asked).toBe(0);
});

test('when neither way is known, the failure of the first counts and nothing is learned', async () => {
  const model = withFallback(modelOf(refused(404)), fallbackTo(modelOf(refused(405))));
  await expect(eventsOf(model)).rejects.toThrow('status 404');
});

test('a way that others found lacking meanwhile is not tried', async () => {
  const [first, second] = [modelOf('first'), modelOf('chat')];
  let isKnown = false;
  const model = withFallback(first, fallbackTo(second, { isKnown: () => isKnown }));
  await eventsOf(model);
  isKnown = true;
  expect(await eventsOf(model)).toEqual([{ type: 'created', responseId: 'chat' }]);
  expect([first.asked, second.asked]).toEqual([1, 1]);
});
