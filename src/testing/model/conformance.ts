import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { ModelError } from '../../base/errors.ts';
import { type Item, messageText } from '../../base/item.ts';
import type { Model, ModelRequest, StreamedEvent } from '../../base/model.ts';
import { type ConformanceCase, type ConformanceChecks, conformanceCases } from '../conformance-case.ts';
import { fault, type ScriptedAnswer } from '../fault.ts';
import { call, gate, type Reply, reply, say, think } from '../reply.ts';
import { eventFaults } from './event-faults.ts';

/** A model for one case. */
export interface ModelUnderTest {
  readonly model: Model;
  /** Name of the model in requests. The default is `scripted`. */
  readonly name?: string;
  /** Called when the case is over. */
  close?(): void | Promise<void>;
}

/** The open model of a case, and the function that asks it. */
interface ModelScene {
  open(...answers: readonly ScriptedAnswer[]): Promise<Model>;
  ask(model: Model, signal?: AbortSignal): Promise<StreamedEvent[]>;
}

/**
 * Returns a case for each promise of `Model`. `make` gets the answers that the model must return, one for each request.
 * A model over HTTP can use `startScriptedModel(answers)`. Another model has to translate them.
 */
export function modelConformance(
  make: (answers: readonly ScriptedAnswer[]) => ModelUnderTest | Promise<ModelUnderTest>,
): readonly ConformanceCase[] {
  return conformanceCases(modelCases, async (check) => {
    const opened: ModelUnderTest[] = [];
    try {
      await check({
        async open(...answers) {
          const subject = await make(answers);
          opened.push(subject);
          return subject.model;
        },
        async ask(model, signal = new AbortController().signal) {
          const events: StreamedEvent[] = [];
          const request = { ...REQUEST, model: opened.at(-1)?.name ?? REQUEST.model };
          for await (const event of model.stream(request, { signal, turnId: 'turn' })) events.push(event);
          return events;
        },
      });
    } finally {
      for (const { close } of opened) await close?.();
    }
  });
}

const REQUEST: ModelRequest = {
  model: 'scripted',
  instructions: 'Be brief.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
  tools: [
    {
      type: 'function',
      name: 'weather',
      description: 'The weather of a city.',
      strict: false,
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  ],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};

const modelCases: ConformanceChecks<ModelScene> = {
  async 'a text comes in pieces, then whole, and the response ends once'({ open, ask }) {
    const events = await ask(await open(reply(say('Good morning, world.'))));
    deepStrictEqual(eventFaults(events), []);
    const deltas = events.flatMap((event) => (event.type === 'text.delta' ? [event.delta] : []));
    strictEqual(deltas.join(''), 'Good morning, world.');
    deepStrictEqual(textsOf(events), ['Good morning, world.']);
    strictEqual(events.at(-1)?.type, 'completed');
  },

  async 'calls come whole, each with an id of its own and its arguments as text'({ open, ask }) {
    const calls = [call('weather', { city: 'Ulm' }), call('weather', '{"city": "Bonn"}')];
    const events = await ask(await open(reply(say('I look it up.'), ...calls)));
    deepStrictEqual(eventFaults(events), []);
    const items = doneItems(events).flatMap((item) => (item.type === 'function_call' ? [item] : []));
    deepStrictEqual(
      items.map(({ name, arguments: text }) => [name, JSON.parse(text)]),
      [
        ['weather', { city: 'Ulm' }],
        ['weather', { city: 'Bonn' }],
      ],
    );
    strictEqual(new Set(items.map(({ call_id }) => call_id)).size, 2);
  },

  async 'the tokens that the server counted are reported at the end'({ open, ask }) {
    const events = await ask(await open(reply(say('ok'), { usage: { inputTokens: 70, outputTokens: 7 } })));
    const end = events.at(-1);
    ok(end?.type === 'completed' && end.usage, 'the response has a usage');
    deepStrictEqual([end.usage.inputTokens, end.usage.outputTokens], [70, 7]);
  },

  async 'reasoning is an item of its own'({ open, ask }) {
    const events = await ask(await open(reply(think('thinking', { raw: 'thinking' }), say('done'))));
    deepStrictEqual(eventFaults(events), []);
    ok(
      doneItems(events).some(({ type }) => type === 'reasoning'),
      'there is a reasoning item',
    );
    deepStrictEqual(textsOf(events), ['done']);
  },

  async 'the first event comes before the response is over'({ open, ask: _ }) {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const model = await open(reply(say('first'), gate(until), say('second')));
    const events: StreamedEvent[] = [];
    for await (const event of model.stream(REQUEST, { signal: new AbortController().signal, turnId: 'turn' })) {
      events.push(event);
      if (event.type === 'text.delta') release();
    }
    strictEqual(events.at(-1)?.type, 'completed');
  },

  async 'a response that breaks off is an error that may be retried'({ open, ask }) {
    const error = await errorOf(ask(await open(fault.cut(long(), 2000), fault.cut(long(), 2000))));
    ok(error.retryable, `it may be retried: ${error.code}`);
  },

  async 'a refusal is an error that may not be retried'({ open, ask }) {
    const body = { error: { message: 'The key is wrong.', type: 'invalid_request_error', code: 'invalid_api_key' } };
    const error = await errorOf(ask(await open(fault.status(401, body))));
    ok(!error.retryable && error.message !== '', error.message);
  },

  async 'an aborted request ends with an error, before and while it streams'({ open, ask }) {
    const early = new AbortController();
    early.abort();
    strictEqual((await errorOf(ask(await open(reply(say('x'))), early.signal))).code, 'aborted');
    const late = new AbortController();
    const model = await open(reply(say('first'), gate(new Promise(() => {}))));
    setTimeout(() => late.abort(), 100);
    strictEqual((await errorOf(ask(model, late.signal))).code, 'aborted');
  },

  async 'an error has the time to wait before the next attempt'({ open }) {
    const model = await open();
    const error = new ModelError('server_error', 'x', { retryable: true });
    for (const attempt of [1, 2, 3]) ok(model.retryDelayMs(attempt, error) >= 0);
    ok(model.maxStreamRetries >= 0);
    model.rest?.();
  },
};

function long(): Reply {
  return reply(say('many words '.repeat(200)));
}

function doneItems(events: readonly StreamedEvent[]): Item[] {
  return events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
}

function textsOf(events: readonly StreamedEvent[]): string[] {
  return doneItems(events).flatMap((item) => (item.type === 'message' ? [messageText(item)] : []));
}

async function errorOf(work: Promise<unknown>): Promise<ModelError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  ok(error instanceof ModelError, `expected a ModelError, got ${String(error ?? 'no error')}`);
  return error;
}
