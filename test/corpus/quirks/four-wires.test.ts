import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/base/json-schema.ts';
import { wholeText } from '../../../src/base/request-text.ts';
import { PATHS, TESTED_WIRES, type TestedWire } from '../../../src/gateway/test-answer.ts';
import { DEFAULT_COMPAT } from '../../../src/wire.ts';
import { sampled } from '../../harness/runs.ts';
import { judgeAnswer } from '../../surfaces/gateway/faults/judge-answer.ts';
import { type CarriedWire, carryCase } from './carry-case.ts';
import { servedCases } from './corpus-server.mjs';
import { findWire } from './find-wire.ts';
import { eachModel, type GatewayScene, startGatewayScene } from './gateway-scene.ts';
import { type AnyCase, bodyOf, contentTypeOf, type ExpectedCall } from './read-corpus.mjs';
import { type CaseResult, compatOf, requestOf, runCase } from './run-case.ts';

const CARRIED: readonly CarriedWire[] = ['messages', 'ollama'];

/** The cases of the corpus, and those that another wire can have too, by their keys. */
const cases = new Map<string, AnyCase>(
  [...servedCases(TESTED_WIRES)].flatMap(([key, { kase }]) => [
    [key, kase] as const,
    ...CARRIED.flatMap((wire) => {
      const carried = carryCase(kase, wire);
      return carried === undefined ? [] : [[`${key}@${wire}`, carried] as const];
    }),
  ]),
);
const isCarried = (key: string) => key.includes('@');

test('the faults of texts, arguments and ends can be those of every wire', () => {
  const counts = CARRIED.map((wire) => [...cases.keys()].filter((key) => key.endsWith(`@${wire}`)).length);
  for (const count of counts) expect(count).toBeGreaterThan(100);
});

describe('a case of the chat wire means the same on another wire', () => {
  test.for(sampled([...cases.keys()].filter(isCarried)))('%s', (key) => {
    const kase = caseOf(key);
    const { text, reasoning, calls, finish } = runCase(kase, [bodyOf(kase)]);
    const { expect: expected } = kase;
    expect({ text, calls, finish }).toEqual({
      text: expected?.text,
      calls: expected?.calls,
      finish: expected?.finish,
    });
    if (expected?.reasoning !== undefined) expect(reasoning).toBe(expected.reasoning);
  });
});

let scene: GatewayScene;

beforeAll(async () => {
  scene = await startGatewayScene({
    answer({ body }, response) {
      const kase = caseOf(String(body.model));
      response.writeHead(kase.status ?? 200, { 'content-type': contentTypeOf(kase) });
      response.end(bodyOf(kase));
    },
    targets: eachModel((model) => {
      const kase = caseOf(model);
      return { wire: kase.wire, compat: compatOf(kase) };
    }),
  });
});

afterAll(() => scene.close());

const isNew = (wire: string) => wire === 'messages' || wire === 'ollama';

/** Clients of the pairs that pairs.test.ts leaves out. */
const pairs = TESTED_WIRES.flatMap((client) =>
  [...cases.keys()].filter((key) => isNew(client) || isNew(caseOf(key).wire)).map((key) => ({ client, key })),
);

describe.concurrent('behind the gateway', () => {
  test.for(sampled(pairs.filter(({ key }) => key !== OTHER_ORDER)))(
    'a $client client understands $key',
    async ({ client, key }) => {
      const kase = caseOf(key);
      const direct = runCase(kase, [bodyOf(kase)]);
      for (const stream of [true, false]) {
        const request = { ...requestOf(kase), model: `${key}~${counter++}` };
        const body = JSON.parse(wholeText(findWire(client).encodeRequest(request, DEFAULT_COMPAT)));
        const { status, headers, bytes } = await scene.ask(PATHS[client], { ...body, stream });
        const text = bytes.toString();
        const judged = judgeAnswer({ client, stream }, { status, headers, text, trailers: {} });
        if (stream && client !== 'ollama' && kase.wire !== client && UNTRANSLATABLE.has(key))
          expect(judged.end, text).toBe('failed');
        else expectSame(client, direct, judged, text);
      }
    },
  );
});

/** The repair tells a broken call after a whole one. A client gets them in the order in which they came. */
const OTHER_ORDER = 'A9/first-of-two-on-responses';

/** Each request has a model of its own: the gateway learns from answers. */
let counter = 0;

/** The end of an item corrects arguments that were sent. Wires that send arguments in pieces cannot take them back. */
const UNTRANSLATABLE: ReadonlySet<string> = new Set(['F9/responses-damaged-delta-and-whole-item']);

const ENDS: Readonly<Record<CaseResult['finish'], readonly string[]>> = {
  calls: ['completed'],
  stop: ['completed'],
  cut: ['incomplete'],
  failed: ['failed', 'refused'],
  none: ['failed', 'refused'],
};

function expectSame(client: TestedWire, direct: CaseResult, judged: ReturnType<typeof judgeAnswer>, how: string): void {
  expect(ENDS[direct.finish], how).toContain(judged.end);
  if (judged.end === 'failed' || judged.end === 'refused') {
    expect(direct.text.startsWith(judged.text), how).toBe(true);
    return;
  }
  expect(judged.text, how).toBe(direct.text);
  // Clients of the Responses wire have items of their own for free texts, which pairs.test.ts compares.
  if (client === 'responses' && direct.calls.some(({ input }) => input !== undefined)) return;
  const given = judged.calls.map(({ name, args }, n) => ({
    name: flat(name),
    input: isRecord(inputOf(direct.calls[n] ?? { name }, client)) ? parsed(args) : undefined,
  }));
  expect(given, how).toEqual(direct.calls.map((call) => ({ name: flat(call.name), input: inputOf(call, client) })));
}

/** Returns the input of a call as a client of functions gets it; undefined for one that is not compared. */
function inputOf({ arguments: args, input }: ExpectedCall, client: TestedWire): unknown {
  if (input !== undefined) return client === 'messages' || client === 'ollama' ? { input } : undefined;
  return isRecord(args) ? args : undefined;
}

const flat = (name: string) => name.replace('.', '__');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the case of a key, or of the name of a model. */
function caseOf(key: string): AnyCase {
  const kase = cases.get(key.split('~')[0] ?? '');
  if (kase === undefined) throw new Error(`there is no case ${key}`);
  return kase;
}
