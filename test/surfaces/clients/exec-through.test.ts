import { describe, expect, onTestFinished } from 'vitest';
import { messageText } from '../../../src/base/item.ts';
import {
  call,
  createWorkspace,
  fault,
  type RequestBody,
  reply,
  type ScriptedAnswer,
  say,
  think,
} from '../../../src/testing/index.ts';
import type { JsonEvent } from '../../harness/json-lines.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { testInTurn } from '../../harness/test-in-turn.ts';
import { startOneWireModel, type WireName } from './one-wire-model.ts';

const FILES = { 'notes.txt': 'one\ntwo\n' };

/** A task with reasoning, parallel calls of which one fails, a patch, and usage that differs from answer to answer. */
const TASK: readonly ScriptedAnswer[] = [
  reply(
    think('I look around.'),
    say('Let me look.'),
    call('exec_command', { cmd: 'cat notes.txt' }, { callId: 'call_a' }),
    call('exec_command', { cmd: 'cat missing.txt; exit 3' }, { callId: 'call_b' }),
    { usage: { inputTokens: 11, cachedInputTokens: 4, outputTokens: 7, reasoningOutputTokens: 2 } },
  ),
  reply(think('Now I write.'), call('exec_command', { cmd: 'echo three >> notes.txt' }, { callId: 'call_c' }), {
    usage: { inputTokens: 23, outputTokens: 5 },
  }),
  reply(say('There are three lines now.'), { usage: { inputTokens: 40, outputTokens: 9 } }),
];

/** Exec shows summaries, which the Responses wire has. On the chat wire reasoning is raw, and exec does not show it. */
const THOUGHTS = ['I look around.', 'Now I write.'];

/** A call whose arguments lack their end, in pieces of a few bytes, with a finish reason that denies it. */
const QUIRKY: readonly ScriptedAnswer[] = [
  fault.split(
    reply(call('exec_command', '{"cmd":"echo quirky >> notes.txt"', { callId: 'call_q' }), {
      finishReason: 'stop',
    }),
    7,
  ),
  reply(say('Done.')),
];

const PAIRS = (['chat', 'responses'] as const).flatMap((server) =>
  (['chat', 'responses'] as const).map((client) => ({ client, server })),
);

describe.each(PAIRS)('exec speaking $client through the gateway to a $server server', ({ client, server }) => {
  const testOne = testInTurn(Number(server === 'chat') + Number(client === 'chat'));

  testOne('does the same as exec without the gateway, and prints the same', async () => {
    const direct = await run({ client: server, server, answers: TASK });
    const through = await run({ client, server, answers: TASK, isThrough: true });
    expect(direct.result.code).toBe(0);
    expect(plain(through.result.events)).toEqual(plain(direct.result.events));
    expect(thoughtsOf(through.result.events)).toEqual(client === 'responses' ? THOUGHTS : []);
    expect(through.notes).toBe('one\ntwo\nthree\n');
    expect(direct.notes).toBe(through.notes);
    const compared = client === 'chat' && server === 'responses' ? carriedByChat : (body: RequestBody) => body;
    expect(through.bodies.map(timeless).map(compared)).toEqual(direct.bodies.map(timeless).map(compared));
    expect(through.bodies).toHaveLength(TASK.length);
  });

  testOne('has a quirky stream repaired once, by the first reader', async () => {
    const direct = await run({ client: server, server, answers: QUIRKY });
    const through = await run({ client, server, answers: QUIRKY, isThrough: true });
    expect(through.notes).toBe('one\ntwo\nquirky\n');
    expect(direct.notes).toBe(through.notes);
    expect(repairsOf(direct.result.events)).not.toEqual([]);
    expect(repairsOf(through.result.events)).toEqual([]);
    expect(through.repairs).toEqual(repairsOf(direct.result.events));
    expect(plain(through.result.events)).toEqual(plain(direct.result.events));
  });
});

interface Run {
  /** The wire that exec speaks. */
  readonly client: WireName;
  readonly server: WireName;
  readonly answers: readonly ScriptedAnswer[];
  readonly isThrough?: boolean;
}

async function run({ client, server, answers, isThrough = false }: Run) {
  const model = await startOneWireModel(server, answers);
  const workspace = createWorkspace(FILES);
  onTestFinished(() => workspace.dispose());
  const gateway = isThrough ? await startGateway(model.url) : undefined;
  const result = await runOxbow(['exec', '--json', 'Add a line.'], {
    workspace,
    model: { url: gateway?.url ?? model.url },
    config: { model_providers: { scripted: { wire_api: client } } },
  });
  return {
    result,
    notes: workspace.read('notes.txt'),
    bodies: model.requests.map(({ body }) => body),
    repairs: (await gateway?.repairs(answers.length)) ?? [],
  };
}

async function startGateway(upstream: string) {
  const workspace = createWorkspace();
  const program = await startOxbow(['gateway', '--upstream', upstream, '--port', '0', '--json'], { workspace });
  onTestFinished(async () => {
    program.kill('SIGKILL');
    await program.wait();
    workspace.dispose();
  });
  const { base_url: url } = await program.waitForEvent(({ type }) => type === 'gateway.started');
  const exchanges = () => program.events.filter(({ type }) => type === 'gateway.exchange');
  /** Returns the repairs after `count` exchanges. */
  const repairs = async (count: number) => {
    await program.waitForEvent((event) => exchanges().indexOf(event) === count - 1);
    return idsOf(exchanges().flatMap((event) => event.repairs as unknown[]));
  };
  return { url: String(url), repairs };
}

function idsOf(repairs: readonly unknown[]): string[] {
  return [...new Set(repairs.map((repair) => (repair as { id: string }).id))].sort();
}

function repairsOf(events: readonly JsonEvent[]): string[] {
  return idsOf((events.at(-1)?.repairs ?? []) as unknown[]);
}

/**
 * Returns the events without values that differ between runs, in the order of their items: either of two commands may
 * end first. Two more things may differ: repairs are reported by the program that made them, and reasoning is compared
 * separately.
 */
function plain(events: readonly JsonEvent[]): unknown[] {
  const place = ({ type, item }: JsonEvent) => (item ? Number(item.id.slice(5)) : type === 'turn.completed' ? 999 : -1);
  const kept = events.filter(({ item }) => item?.type !== 'reasoning').toSorted((a, b) => place(a) - place(b));
  const places = [...new Set(kept.map(place))];
  return kept.map(({ thread_id, repairs, ...event }) =>
    event.item ? { ...event, item: { ...event.item, id: places.indexOf(place(event)) } } : event,
  );
}

/** Returns the reasoning that exec shows. */
function thoughtsOf(events: readonly JsonEvent[]): unknown[] {
  return events.flatMap(({ item }) => (item?.type === 'reasoning' ? [item.text] : []));
}

/** Returns a request without values that differ between runs: ids, times, the name of the folder. */
function timeless(body: RequestBody): RequestBody {
  const text = JSON.stringify(body)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/Chunk ID: [0-9a-f]+/g, 'Chunk ID: X')
    .replace(/Wall time: [\d.]+/g, 'Wall time: X')
    .replace(/oxbow-test-\w+/g, 'WORKSPACE');
  return JSON.parse(text) as RequestBody;
}

/**
 * Returns a request of the Responses wire without the parts that the chat wire cannot carry: ids of items, sealed
 * reasoning, whether reasoning is a summary, fields about the thread, and developer messages after the instructions,
 * which are merged into them. The chat wire carries everything else.
 */
function carriedByChat(body: RequestBody): RequestBody {
  const { client_metadata, prompt_cache_key, include, reasoning, instructions = '', input = [], ...rest } = body;
  const first = input.findIndex((item) => item.type !== 'message' || item.role !== 'developer');
  const joined = input.slice(0, first).flatMap((item) => (item.type === 'message' ? [messageText(item)] : []));
  const items = input.slice(first).map(({ id, ...item }) => {
    if (item.type !== 'reasoning') return item;
    const parts = [...item.summary, ...(item.content ?? [])];
    return { type: item.type, text: parts.map(({ text }) => text).join('') };
  });
  return { ...rest, instructions: [instructions, ...joined].join('\n\n'), items };
}
