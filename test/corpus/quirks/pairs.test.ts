import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRecord } from '../../../src/base/json-schema.ts';
import type { ModelRequest } from '../../../src/base/model.ts';
import { wholeText } from '../../../src/base/request-text.ts';
import { DEFAULT_COMPAT } from '../../../src/wire.ts';
import { sampled } from '../../harness/runs.ts';
import { streamFaults } from './answer-faults.ts';
import { type ServedCase, servedCases } from './corpus-server.mjs';
import { expectField } from './expect-field.ts';
import { findWire } from './find-wire.ts';
import { type Answered, eachModel, type GatewayScene, startGatewayScene } from './gateway-scene.ts';
import { type ClientWire, type ReadAnswer, readAnswer, responseIn } from './read-answer.ts';
import { bodyOf, type Case, contentTypeOf } from './read-corpus.mjs';
import { type CaseResult, compatOf, readFrames, requestOf, runCase } from './run-case.ts';

type Fields = Readonly<Record<string, unknown>>;

const cases = servedCases();
let scene: GatewayScene;

beforeAll(async () => {
  scene = await startGatewayScene({
    answer({ body }, response) {
      served.set(String(body.model), body);
      void play(String(body.model), response);
    },
    targets: eachModel((model) => {
      const kase = caseOf(model);
      return { wire: kase.wire, compat: compatOf(kase) };
    }),
  });
});

afterAll(() => scene.close());

const PATHS: Readonly<Record<ClientWire, string>> = { chat: '/v1/chat/completions', responses: '/v1/responses' };
const CLIENTS: readonly ClientWire[] = ['responses', 'chat'];

describe.each(CLIENTS)('a %s client behind the gateway', (client) => {
  describe.concurrent('understands', () => {
    test.for(sampled([...cases.keys()]))('%s', async (key) => {
      const kase = caseOf(key);
      const direct = runCase(kase, [bodyOf(kase)]);
      // Each client gets one half of the cases in frames and the other half cut at awkward places.
      const isEven = [...cases.keys()].indexOf(key) % 2 === CLIENTS.indexOf(client);
      const cut = isEven ? 'frames' : 'bytes';
      for (const stream of [true, false]) {
        const { answered, request } = await ask(client, key, { stream, cut });
        const read = readAnswer(client, answered, { request, stream });
        const how = `${stream ? 'streamed' : 'whole'}, cut by ${cut}: ${answered.bytes.toString()}`;
        if (stream && kase.wire !== client && UNTRANSLATABLE.has(key)) expect(read.finish, how).toBe('failed');
        else expectAnswer({ kase, direct, client, stream }, { answered, read }, how);
        if (client === 'responses' && kase.expect_request !== undefined) {
          await expectNext(key, kase, responseIn(answered.bytes, stream));
        }
      }
    });
  });
});

test('a client that repairs nothing sees the faults of such streams without a gateway', () => {
  const faultsOf = (key: string) => streamFaults(caseOf(key).wire, readFrames([bodyOf(caseOf(key))]));
  expect(faultsOf('A1/healthy')).toEqual([]);
  expect(faultsOf('A6/only-the-end-mark')).toEqual(['0 finish signals: ']);
  expect(faultsOf('B1/one-call')).toContain('a call without an index');
  expect(faultsOf('B6/whole-calls')).toContain('another id for a call');
  expect(faultsOf('B7/responses-bare-text')[0]).toBe('it begins with response.output_text.delta');
  expect(faultsOf('B8/responses-item-completed-twice')[0]).toMatch(/^an item ends that was not announced/);
});

/**
 * A chat stream cannot take back the arguments that it has sent, so it fails where the end of an item corrects them.
 */
const UNTRANSLATABLE: ReadonlySet<string> = new Set(['F9/responses-damaged-delta-and-whole-item']);

/** Requests by the name of their model. */
const served = new Map<string, unknown>();

/** Sends the answer back with outputs for its calls, and expects that the server gets the right history. */
async function expectNext(key: string, kase: Case, response: Fields): Promise<void> {
  const items = Array.isArray(response.output) ? response.output.filter(isRecord) : [];
  const outputs = items
    .filter(({ call_id }) => call_id !== undefined)
    .map(({ type, call_id }) => {
      const kind = type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
      return { type: kind, call_id, output: 'ok' };
    });
  const model = `${key}~frames~${counter++}`;
  const { input } = requestOf(kase);
  const body = clientBody('responses', { ...requestOf(kase), model }, true);
  await scene.ask(PATHS.responses, { ...body, input: [...input, ...items, ...outputs] });
  for (const field of kase.expect_request ?? []) expectField(served.get(model), field);
}

interface Told {
  readonly kase: Case;
  readonly direct: CaseResult;
  readonly client: ClientWire;
  readonly stream: boolean;
}

function expectAnswer(
  { kase, direct, client, stream }: Told,
  { answered, read }: { readonly answered: Answered; readonly read: ReadAnswer },
  how: string,
): void {
  expect(read.faults.join('\n'), how).toBe('');
  expect({ finish: read.finish, calls: read.calls, callIds: read.callIds }, how).toEqual({
    finish: direct.finish,
    calls: direct.calls,
    callIds: direct.callIds,
  });
  if (direct.finish === 'failed') {
    expect(read.error, how).toMatch(new RegExp(kase.expect?.error ?? '', 'u'));
    // A status cannot take back text that was sent before it.
    if (!stream) expect(read.refused, how).toBe(true);
    else if (direct.text + direct.reasoning !== '') expect(read.refused, how).toBe(false);
  }
  if (read.refused) return;
  expect(answered.repairs, how).toEqual(toldRepairs(kase, direct, client, stream));
  if (direct.finish === 'failed') {
    // The gateway ends with the failure, whatever the server would have said after it.
    expect(direct.text.startsWith(read.text) && direct.reasoning.startsWith(read.reasoning), how).toBe(true);
    return;
  }
  const { text, reasoning, usage } = direct;
  expect({ text: read.text, reasoning: read.reasoning, usage: read.usage }, how).toEqual({ text, reasoning, usage });
}

/** Returns the reported repairs. Without a stream a whole answer is what was asked for. */
function toldRepairs(kase: Case, { repairs }: CaseResult, client: ClientWire, stream: boolean): readonly string[] {
  const isWanted = !stream && kase.wire === client;
  return isWanted ? repairs.filter((id) => id !== 'F13') : repairs;
}

async function ask(client: ClientWire, key: string, { stream, cut }: { stream: boolean; cut: string }) {
  const kase = caseOf(key);
  const request = requestOf(kase);
  const model = `${key}~${cut}~${counter++}`;
  const answered = await scene.ask(PATHS[client], clientBody(client, { ...request, model }, stream));
  return { answered, request };
}

let counter = 0;

/** Returns the request as a client of that wire would write it. A client of the Responses wire asks as Codex does. */
function clientBody(client: ClientWire, request: ModelRequest, stream: boolean): Fields {
  const body: Fields = JSON.parse(wholeText(findWire(client).encodeRequest(request, DEFAULT_COMPAT)));
  if (client === 'chat') return { ...body, stream };
  return { ...body, stream, input: request.input, include: ['reasoning.encrypted_content'] };
}

function caseOf(model: string): ServedCase {
  const kase = cases.get(model.split('~')[0] ?? '')?.kase;
  if (kase === undefined) throw new Error(`there is no case for the model ${model}`);
  return kase;
}

/** Sends the bytes of a case in the pieces that the model asks for, each in a packet of its own where possible. */
async function play(model: string, response: ServerResponse): Promise<void> {
  const kase = caseOf(model);
  const pieces = model.includes('~bytes~') ? awkwardPieces(bodyOf(kase)) : framePieces(bodyOf(kase));
  response.writeHead(kase.status ?? 200, { 'content-type': contentTypeOf(kase) });
  for (const piece of pieces) {
    response.write(piece);
    await new Promise(setImmediate);
  }
  response.end();
}

/** Returns pieces that end after every blank line. */
function framePieces(body: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < body.length; ) {
    const end = body.indexOf('\n\n', start);
    const next = end === -1 ? body.length : end + 2;
    pieces.push(body.subarray(start, next));
    start = next;
  }
  return pieces;
}

const MOST_PIECES = 40;

/** Returns pieces that end inside characters, line ends and escapes where there are some, else anywhere. */
function awkwardPieces(body: Buffer): readonly Buffer[] {
  const torn = Array.from(body.keys()).filter((i) => i > 0 && isAwkward(body[i - 1] ?? 0, body[i] ?? 0));
  const step = Math.max(1, Math.ceil(torn.length / MOST_PIECES));
  const places = [...torn.filter((_, i) => i % step === 0), body.length];
  return places.map((end, i) => body.subarray(places[i - 1] ?? 0, end));
}

/** Reports whether two bytes belong together: to one character, line end or escape. */
function isAwkward(before: number, after: number): boolean {
  return (after & 0xc0) === 0x80 || (before === 0x0a && after === 0x0a) || before === 0x5c || before === 0x0d;
}
