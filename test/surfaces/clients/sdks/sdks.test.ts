import { afterAll, beforeAll, describe, expect } from 'vitest';
import { call, callsOf, fault, gate, outputsOf, reply, say, think } from '../../../../src/testing/index.ts';
import { testInTurn } from '../../../harness/test-in-turn.ts';
import type { WireName } from '../one-wire-model.ts';
import { AI_SDKS } from './ai-sdk.ts';
import { ANTHROPIC } from './anthropic.ts';
import { LANGCHAINS } from './langchain.ts';
import { OLLAMA } from './ollama.ts';
import { type Ability, type Answer, type Ask, requireInstalled, type Sdk } from './sdk.ts';
import { openStand, type Stand } from './stand.ts';

const SDKS: readonly Sdk[] = [ANTHROPIC, OLLAMA, ...AI_SDKS, ...LANGCHAINS];
const SERVERS: readonly WireName[] = ['chat', 'responses', 'messages', 'ollama'];

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';
const SCHEMA = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
  additionalProperties: false,
};

describe.each(SERVERS)('with a %s server', (server) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(server);
  });
  afterAll(() => stand.close());

  for (const sdk of SDKS) {
    const require = requireInstalled(sdk.packages);
    describe.skipIf(require === undefined)(sdk.name, () => {
      for (const stream of [false, true]) {
        const ask = async (rest: Omit<Ask, 'stream'>) => {
          if (!require) throw new Error(`${sdk.name} is not installed.`);
          return sdk.load(require)(stand.origin, { ...rest, stream });
        };
        const has = (ability: Ability) => !sdk.lacks?.includes(ability);
        const describeAll = () => {
          const testOne = testInTurn(SERVERS.indexOf(server) + Number(stream));
          const scene = { testOne, stand: () => stand, server, stream, has, ask };
          testAnswers(scene);
          testReasoning(scene);
          testFailures(scene);
        };
        describe(stream ? 'streaming' : 'in one piece', describeAll);
      }
    });
  }
});

/** A library on a server, in one of the two ways to ask. */
interface Scene {
  /** Defines a test. In a quick run each test has two of the servers for each library and way to ask. */
  readonly testOne: ReturnType<typeof testInTurn>;
  readonly stand: () => Stand;
  readonly server: WireName;
  readonly stream: boolean;
  readonly has: (ability: Ability) => boolean;
  readonly ask: (rest: Omit<Ask, 'stream'>) => Promise<Answer>;
}

function testAnswers({ testOne, stand, stream, has, ask }: Scene): void {
  testOne('gets the text and the usage', async () => {
    stand().play(reply(say('The sky is blue.')));
    const { text, inputTokens, outputTokens } = await ask({ prompt: 'Which colour?' });
    expect(text).toBe('The sky is blue.');
    if (!stream || has('late usage')) expect([inputTokens, outputTokens]).toEqual([100, 20]);
  });

  testOne('runs two steps with parallel calls, and sends their outputs back', async () => {
    stand().play(
      reply(say('I look.'), call('weather', { city: 'Bern' }), call('weather', { city: 'Rome' })),
      reply(call('weather', { city: 'Zürich' })),
      reply(say('All are sunny.')),
    );
    const ran: string[] = [];
    const weather = (city: string) => {
      ran.push(city);
      return `sun in ${city}`;
    };
    expect((await ask({ prompt: 'How is it?', weather })).text).toBe('All are sunny.');
    expect(ran).toEqual(['Bern', 'Rome', 'Zürich']);
    const [, , last] = stand().requests;
    if (!last) throw new Error('There was no third request.');
    expect(callsOf(last).map(({ name, arguments: args }) => [name, JSON.parse(args)])).toEqual(
      ran.map((city) => ['weather', { city }]),
    );
    expect(outputsOf(last).map(({ text }) => text)).toEqual(ran.map((city) => `sun in ${city}`));
    expect(outputsOf(last).map(({ callId }) => callId)).toEqual(callsOf(last).map(({ callId }) => callId));
  });

  testOne('sends an image', async () => {
    stand().play(reply(say('A pixel.')));
    expect((await ask({ prompt: 'What is this?', image: PIXEL })).text).toBe('A pixel.');
    expect(JSON.stringify(stand().requests[0]?.body)).toContain(PIXEL);
  });

  testOne('gets an answer that fits a schema', async () => {
    stand().play(reply(say('{"colour":"blue"}')));
    expect(JSON.parse((await ask({ prompt: 'Which colour?', schema: SCHEMA })).text)).toEqual({ colour: 'blue' });
    expect(JSON.stringify(stand().requests[0]?.body)).toContain('"colour":{"type":"string"}');
  });

  testOne('runs a call that the model wrote into its text', async () => {
    const written = '<tool_call>\n{"name":"weather","arguments":{"city":"Bern"}}\n</tool_call>';
    stand().play(reply(say(`I look.\n${written}`)), reply(say('Sunny.')));
    const ran: string[] = [];
    expect((await ask({ prompt: 'How is it?', weather: (city) => String(ran.push(city)) })).text).toBe('Sunny.');
    expect(ran).toEqual(['Bern']);
    expect(await repairsOf(stand())).toContain('D1');
  });
}

function testReasoning({ testOne, stand, server, has, ask }: Scene): void {
  if (!has('reasoning')) return;
  testOne('gets the reasoning, and sends it back', async () => {
    stand().play(
      reply(think('I look at the sky.', { encrypted: 'SEALED' }), call('weather', { city: 'Bern' })),
      reply(think('Now I know.'), say('Sunny.')),
    );
    const { text, thought } = await ask({ prompt: 'How is it?', thinks: true, weather: () => 'sun' });
    expect({ text, thought }).toEqual({ text: 'Sunny.', thought: 'I look at the sky.Now I know.' });
    // A server that signs reasoning does not accept it without the signature.
    const isAccepted = has('memory') && (has('signature') || server !== 'messages');
    const sent = JSON.stringify(stand().requests[1]?.body);
    if (isAccepted) expect(sent).toContain('I look at the sky.');
    if (isAccepted && server === 'messages') expect(sent).toContain('SEALED');
  });
}

function testFailures({ testOne, stand, stream, has, ask }: Scene): void {
  if (stream) {
    testOne('runs a call whose arguments have no end, in pieces of a few bytes', async () => {
      const broken = reply(call('weather', '{"city":"Bern"', { callId: 'call_q' }), { finishReason: 'stop' });
      stand().play(fault.split(broken, 7), reply(say('Sunny.')));
      const ran: string[] = [];
      expect((await ask({ prompt: 'How is it?', weather: (city) => String(ran.push(city)) })).text).toBe('Sunny.');
      expect(ran).toEqual(['Bern']);
      expect(await repairsOf(stand())).not.toEqual([]);
    });
  }

  testOne('gets the status and the words of a refusal', async () => {
    const error = {
      message: 'There is no model of that name.',
      type: 'invalid_request_error',
      code: 'model_not_found',
    };
    stand().play(fault.status(404, { error }));
    const thrown = await errorOf(ask({ prompt: 'Hello.' }));
    expect(statusOf(thrown)).toBe(404);
    expect(thrown.message).toContain('There is no model of that name.');
  });

  if (!stream || has('failed stream')) {
    testOne('throws when the server breaks off', async () => {
      const whole = reply(say('This answer does not arrive whole. '.repeat(8)));
      stand().play(...Array.from({ length: 6 }, () => fault.cut(whole, 2500)));
      expect((await errorOf(ask({ prompt: 'Hello.' }))).message).not.toBe('');
    });
  }

  if (!has('cancellation')) return;
  testOne('can be cancelled, which ends the request to the server', async () => {
    const controller = new AbortController();
    stand().play(stream ? reply(say('Hello '), gate(new Promise(() => {}))) : fault.hangBeforeHeaders());
    const asking = errorOf(ask({ prompt: 'Hello.', signal: controller.signal, onText: () => controller.abort() }));
    const request = await stand().waitForRequest(1);
    if (!stream) controller.abort();
    await asking;
    await request.ended;
    expect(request.aborted).toBe(true);
  });
}

/** Returns the ids of the repairs of two exchanges. */
async function repairsOf(stand: Stand): Promise<readonly string[]> {
  const exchanges = await stand.lastExchanges(2);
  return exchanges.flatMap(({ repairs }) => (repairs as { readonly id: string }[]).map(({ id }) => id));
}

/** An error of a library: an `Error`, or the object that the server sent. Each library has its own name for the status. */
interface Thrown {
  readonly message: string;
  readonly status?: number;
  readonly statusCode?: number;
  readonly status_code?: number;
}

async function errorOf(promise: Promise<unknown>): Promise<Thrown> {
  const ended = await promise.then(
    (value) => ({ value }),
    (error: Thrown) => ({ error }),
  );
  if ('error' in ended) return ended.error;
  throw new Error(`There was no error: ${JSON.stringify(ended)}`);
}

function statusOf({ status, statusCode, status_code }: Thrown): number | undefined {
  return status ?? statusCode ?? status_code;
}
