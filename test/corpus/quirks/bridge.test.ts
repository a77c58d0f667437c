import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type ServerResponse, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { isRecord } from '../../../src/base/json-schema.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { loadSettings } from '../../../src/gateway/load-settings.ts';
import { exchangeFaults } from './exchange-format.ts';
import { expectField } from './expect-field.ts';
import { findWire } from './find-wire.ts';
import { type Answered, eachModel, type GatewayScene, type ServedRequest, startGatewayScene } from './gateway-scene.ts';
import { type ReadAnswer, readAnswer, responseIn } from './read-answer.ts';
import { bodyOf } from './read-corpus.mjs';
import { type ExchangeCase, readExchanges } from './read-exchanges.mjs';
import { compatOf } from './run-case.ts';
import { refusalOf } from './server-rules.ts';
import { writeAnswer } from './write-answer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The requests that the server got in one run of a case. */
interface Run {
  readonly kase: ExchangeCase;
  /** Whether the settings of the case are set from the beginning. */
  readonly set: boolean;
  readonly stream: boolean;
  readonly model: string;
  readonly refused: Fields[];
  readonly answered: Fields[];
  /** Whether the case has had its answer. */
  isNext: boolean;
}

const quirks = readExchanges();
const runs = new Map<string, Run>();
let scene: GatewayScene;

beforeAll(async () => {
  scene = await startGatewayScene({
    answer: ({ body }, response) => serve(runOf(String(body.model)), body, response),
    targets: eachModel((model) => {
      const { kase, set } = runOf(model);
      return { wire: kase.server, compat: set ? compatOf(kase) : {} };
    }),
  });
});

afterAll(() => scene.close());

describe('the exchanges', () => {
  const folder = join(import.meta.dirname, 'exchanges');

  test('are all files of the right format', () => {
    const faults = readdirSync(folder).flatMap((name) =>
      exchangeFaults(name, JSON.parse(readFileSync(join(folder, name), 'utf8'))),
    );
    expect(faults).toEqual([]);
  });

  test('have a file for every quirk of a request and of the bridge', () => {
    const ids = Object.entries({ G: 14, H: 18 }).flatMap(([section, count]) =>
      Array.from({ length: count }, (_, i) => `${section}${i + 1}`),
    );
    expect(quirks.map(({ id }) => id)).toEqual(ids);
  });

  test('are really checked', () => {
    const kase = {
      name: 'a',
      says: 'b',
      client: 'chat',
      server: 'mail',
      compat: {},
      request: {},
      answer: { extra: 1 },
    };
    const faults = exchangeFaults('G1.json', { id: 'G2', cases: [kase] });
    expect(faults).toContain('G1.json: its id is G2');
    expect(faults).toContain('G1.json.cases[0].server: not one of chat, responses');
    expect(faults).toContain('G1.json.cases[0].answer: unknown key extra');
    expect(faults).toContain('G1.json a: settings without a refusal');
  });
});

for (const { id, title, cases: all } of quirks) {
  // Cases about the names of models need a configuration of their own: see below.
  const cases = all.filter(({ model }) => model === undefined);
  if (cases.length === 0) continue;
  describe(`${id} ${title}`, () => {
    for (const kase of cases) {
      describe.each([{ stream: true }, { stream: false }])(`${kase.name}, stream $stream`, ({ stream }) => {
        const start = (set: boolean) => startRun(`${id}/${kase.name}`, { kase, set, stream });

        test(kase.compat === undefined ? kase.says : `${kase.says} With the setting`, async () => {
          const run = start(true);
          await expectExchange(run);
          expect(run.refused).toEqual([]);
          if (kase.next !== undefined) await expectNext(run);
        });

        if (kase.compat === undefined) return;
        test(`${kase.says} Learned from the refusal`, async () => {
          const run = start(false);
          await expectExchange(run);
          const refusals = run.refused.length;
          expect(refusals).toBeGreaterThan(0);
          await expectExchange(run);
          expect(run.refused).toHaveLength(refusals);
          expect(run.answered).toHaveLength(2);
        });
      });
    }
  });
}

test('H16: a connection upgrade is refused at once', async () => {
  const upgrade = send(`${scene.url}/v1/responses`, {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'eA==',
    },
  });
  upgrade.end();
  const [response] = (await once(upgrade, 'response')) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(426);
});

describe('H18, names that a client makes up', () => {
  const { cases = [] } = quirks.find(({ id }) => id === 'H18') ?? {};
  test.each(cases)('$name: $says', async ({ server, model, request, expect_request = [] }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quirk-h18-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const config = loadConfig({ env: { OXBOW_HOME: folder }, cwd: folder, systemFile: join(folder, 'none') });
    const requests: ServedRequest[] = [];
    const own = await startGatewayScene({
      answer(served, response) {
        requests.push(served);
        const { type, body } = writeAnswer(server, { text: 'Done.' }, served.body);
        response.writeHead(200, { 'content-type': type }).end(body);
      },
      targets: (url) => loadSettings(config, { upstream: { url, wire: server, model: 'qwen3-coder' } }).targets,
    });
    onTestFinished(() => own.close());
    expect((await own.ask('/v1/responses', { ...request, model })).status).toBe(200);
    for (const field of expect_request) expectField(requests[0]?.body, field);
  });
});

function startRun(key: string, { kase, set, stream }: Pick<Run, 'kase' | 'set' | 'stream'>): Run {
  const model = `${key}~${runs.size}`;
  const run: Run = { kase, set, stream, model, refused: [], answered: [], isNext: false };
  runs.set(model, run);
  return run;
}

function runOf(model: string): Run {
  const run = runs.get(model);
  if (run === undefined) throw new Error(`nobody asks for the model ${model}`);
  return run;
}

function serve(run: Run, body: Fields, response: ServerResponse): void {
  const { kase, refused, answered, isNext } = run;
  const refusal = refusalOf(kase.refuses ?? [], body);
  (refusal === undefined ? answered : refused).push(body);
  const { status, type, body: text } = refusal === undefined ? answerOf(kase, body, isNext) : refusalText(refusal);
  response.writeHead(status, { 'content-type': type }).end(text);
}

function refusalText({ status, body }: { readonly status: number; readonly body: object }) {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

function answerOf(kase: ExchangeCase, body: Fields, isNext: boolean) {
  if (!isNext && kase.body !== undefined) return { status: 200, type: 'application/json', body: kase.body };
  if (!isNext && kase.frames !== undefined) return { status: 200, type: 'text/event-stream', body: bodyOf(kase) };
  return { status: 200, ...writeAnswer(kase.server, (isNext ? undefined : kase.answer) ?? { text: 'Done.' }, body) };
}

async function ask({ kase, model, stream }: Run, request: Fields): Promise<Answered> {
  const path = kase.client === 'chat' ? '/v1/chat/completions' : '/v1/responses';
  return scene.ask(path, { ...request, model, stream });
}

const DONE: NonNullable<ExchangeCase['expect']> = { text: 'Done.', calls: [], finish: 'stop' };

/**
 * Expects that the client gets its answer, that the server got a request it accepts, and that the report names the
 * changes.
 */
async function expectExchange(run: Run): Promise<void> {
  const { kase, answered, model } = run;
  const came = await ask(run, kase.request);
  const told = came.bytes.toString();
  expectAnswer(run, came);
  if (kase.expect?.finish === 'failed') return;
  for (const field of kase.expect_request ?? []) expectField(answered.at(-1), field);
  const whole = wholeAnswer(run, came);
  for (const field of whole === undefined ? [] : (kase.expect_response ?? [])) expectField(whole, field);
  if (kase.adaptations === undefined) return;
  const report = await vi.waitFor(() => {
    const own = scene.reports.filter((one) => one.model === model);
    expect(own, told).toHaveLength(answered.length);
    return own.at(-1);
  });
  const ids = report?.adaptations.filter((one) => /^[A-Z]\d+$/.test(one));
  expect(ids, told).toEqual(kase.adaptations);
}

function expectAnswer({ kase, stream }: Run, came: Answered): void {
  const { text, reasoning, calls, call_ids, finish, error, status = 200, usage, repairs = [] } = kase.expect ?? DONE;
  const told = came.bytes.toString();
  const read = readFor(kase, came, stream);
  expect(came.status, told).toBe(status);
  expect(read.faults.join('\n'), told).toBe('');
  expect({ text: read.text, calls: read.calls, finish: read.finish }, told).toEqual({ text, calls, finish });
  if (reasoning !== undefined) expect(read.reasoning, told).toBe(reasoning);
  if (call_ids !== undefined) expect(read.callIds, told).toEqual(call_ids);
  if (error !== undefined) expect(read.error, told).toMatch(new RegExp(error, 'u'));
  if (usage !== undefined) expect(read.usage, told).toEqual(usage);
  // Without a stream a whole answer is what was asked for.
  const isWanted = !stream && kase.client === kase.server;
  if (finish !== 'failed') expect(came.repairs, told).toEqual(repairs.filter((id) => id !== 'F13' || !isWanted));
}

function readFor({ client, request }: ExchangeCase, came: Answered, stream: boolean): ReadAnswer {
  const decoded = findWire(client).decodeRequest({ ...request, model: 'any' });
  return readAnswer(client, came, { request: decoded, stream });
}

/** Returns the whole answer, where a client has it in one piece. */
function wholeAnswer({ kase, stream }: Run, { bytes }: Answered): Fields | undefined {
  return kase.client === 'chat' && stream ? undefined : responseIn(bytes, stream);
}

/** Continues as the client, and expects that the server gets a history that it accepts. */
async function expectNext(run: Run): Promise<void> {
  const { kase, answered } = run;
  if (kase.next === undefined) return;
  const came = await ask(run, kase.request);
  run.isNext = true;
  const next = kase.client === 'chat' ? nextMessages(run, came) : nextInput(run, came);
  const after = await ask(run, next);
  expect(after.status, after.bytes.toString()).toBe(200);
  for (const field of kase.next.expect_request) expectField(answered.at(-1), field);
}

function nextInput(run: Run, came: Answered): Fields {
  const { request, next } = run.kase;
  const { id, output } = wholeAnswer(run, came) ?? {};
  if (next?.previous) return { ...request, previous_response_id: id, input: next.input };
  const items = Array.isArray(output) ? output.filter(isRecord) : [];
  const outputs = items
    .filter(({ call_id }) => call_id !== undefined)
    .map(({ type, call_id }) => {
      const kind = type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output';
      return { type: kind, call_id, output: 'ok' };
    });
  return { ...request, input: [...(request.input as readonly unknown[]), ...items, ...outputs] };
}

function nextMessages({ kase, stream }: Run, came: Answered): Fields {
  const { text, items } = readFor(kase, came, stream);
  const calls = items.flatMap((item) => (item.type === 'function_call' ? [item] : []));
  const tool_calls = calls.map(({ call_id: id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  const messages = [
    ...(kase.request.messages as readonly unknown[]),
    { role: 'assistant', content: text === '' ? null : text, tool_calls },
    ...calls.map(({ call_id }) => ({ role: 'tool', tool_call_id: call_id, content: 'ok' })),
  ];
  return { ...kase.request, messages };
}
