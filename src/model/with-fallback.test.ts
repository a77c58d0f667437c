import { expect, test } from 'vitest';
import { ModelError } from '../base/errors.ts';
import type { Model, ModelRequest, StreamedEvent } from '../base/model.ts';
import { withFallback } from './with-fallback.ts';

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

async function eventsOf(model: Model): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = [];
  for await (const event of model.stream(request, options)) events.push(event);
  return events;
}

/** A model with these ways, tried in their order; those that are found lacking are not tried again. */
async function fallbackOf(models: Readonly<Record<string, Model>>) {
  const lacking = new Set<string>();
  const switches: string[] = [];
  const model = await withFallback({
    ways: () => Object.keys(models).filter((way) => !lacking.has(way)) as [string],
    open: async (way) => models[way] as Model,
    onSwitch(way, missing) {
      for (const one of missing) lacking.add(one);
      switches.push(way);
    },
  });
  return { model, switches, lacking };
}

test.each([404, 405])('a server that answers %i is asked the other way, from then on only so', async (status) => {
  const [first, second] = [modelOf(refused(status)), modelOf('second')];
  const { model, switches, lacking } = await fallbackOf({ first, second });
  expect(await eventsOf(model)).toEqual([{ type: 'created', responseId: 'second' }]);
  expect(await eventsOf(model)).toHaveLength(1);
  expect([first.asked, second.asked]).toEqual([1, 2]);
  expect([switches, [...lacking]]).toEqual([['second'], ['first']]);
});

test('the ways are tried in their order, until one answers', async () => {
  const [second, third, fourth] = [modelOf(refused(404)), modelOf('third'), modelOf('fourth')];
  const { model, switches } = await fallbackOf({ first: modelOf(refused(404)), second, third, fourth });
  expect(await eventsOf(model)).toEqual([{ type: 'created', responseId: 'third' }]);
  expect([second.asked, third.asked, fourth.asked]).toEqual([1, 1, 0]);
  expect(switches).toEqual(['third']);
});

test('other failures and answers stay with the first way', async () => {
  const second = modelOf('second');
  const failing = await fallbackOf({ first: modelOf(refused(500)), second });
  await expect(eventsOf(failing.model)).rejects.toThrow('status 500');
  const answering = await fallbackOf({ first: modelOf('first'), second });
  expect(await eventsOf(answering.model)).toHaveLength(1);
  expect([second.asked, failing.switches, answering.switches]).toEqual([0, [], []]);
});

test('another failure of another way is the one that counts', async () => {
  const { model, switches } = await fallbackOf({ first: modelOf(refused(404)), second: modelOf(refused(400)) });
  await expect(eventsOf(model)).rejects.toThrow('status 400');
  expect(switches).toEqual([]);
});

test('when no way is known, the failure of the first counts and nothing is learned', async () => {
  const [second, third] = [modelOf(refused(405)), modelOf(refused(405))];
  const { model, switches } = await fallbackOf({ first: modelOf(refused(404)), second, third });
  await expect(eventsOf(model)).rejects.toThrow('status 404');
  expect(switches).toEqual([]);
});

test('a way that others found lacking meanwhile is not tried', async () => {
  const [first, second] = [modelOf('first'), modelOf('second')];
  const { model, lacking } = await fallbackOf({ first, second });
  await eventsOf(model);
  lacking.add('first');
  expect(await eventsOf(model)).toEqual([{ type: 'created', responseId: 'second' }]);
  expect([first.asked, second.asked]).toEqual([1, 1]);
});
