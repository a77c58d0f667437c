import { expect, test } from 'vitest';
import type { LogLine } from '../../../../src/base/log.ts';
import { TOO_LONG_REFUSALS } from '../../../../src/model/fixtures/too-long.ts';
import { fault, type RecordedRequest, reply, type ScriptedAnswer, say } from '../../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import { sampled } from '../../../harness/runs.ts';
import { decodedRequest, over, WIRES } from '../../../harness/wires.ts';
import { asksForSummary, counting, echo, expectValidRequests, outline } from './scene.ts';

const TOO_LONG = reply({ failed: { code: 'context_length_exceeded', message: 'too long' } });
/** The error of a server that has no code for it. */
const TOO_LONG_400 = fault.status(400, { message: "This model's maximum context length is 99 tokens.", code: 400 });
const SUMMARY = reply(say('So far, so good.'));

async function run(s: LibraryScene, ...inputs: string[]) {
  const thread = await s.agent.startThread(s.threadOptions());
  let result: Awaited<ReturnType<typeof thread.run>> | undefined;
  for (const input of inputs) result = await thread.run(input);
  await thread.close();
  return { thread, result };
}

test.each([
  ['in the stream', TOO_LONG],
  ['by its status', TOO_LONG_400],
])('a turn goes on when the server says %s that the history does not fit', async (_, refusal) => {
  const s = await libraryScene([reply(echo('one')), refusal, SUMMARY, reply(say('done'))]);
  const { result } = await run(s, 'do it');
  expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(outline(s.model.requests[3]?.body.input)).toEqual(['permissions', 'environment', 'user: do it', 'summary']);
  expect(s.events.filter(({ type }) => type === 'compacted')).toMatchObject([{ reason: 'overflow' }]);
  expectValidRequests(s);
});

const REFUSALS = WIRES.flatMap((wire) => TOO_LONG_REFUSALS.map((refusal) => ({ wire, ...refusal })));

test.each(sampled(REFUSALS))(
  'a turn goes on over $wire after one refusal in the words of $server ($status)',
  async ({ wire, status, body }) => {
    const script = [reply(echo('one')), fault.status(status, body), SUMMARY, reply(say('done'))];
    const s = await libraryScene(script, { model_providers: { scripted: { wire_api: wire } } });
    const { result } = await run(s, 'do it');
    expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
    expect(s.model.requests).toHaveLength(4);
    expect(s.waits).toEqual([]);
  },
);

test('the turn compacts again after further progress, and fails without any', async () => {
  const again = [reply(echo('two')), TOO_LONG, SUMMARY, reply(say('done'))];
  const s = await libraryScene([reply(echo('one')), TOO_LONG, SUMMARY, ...again]);
  expect((await run(s, 'do it')).result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  const t = await libraryScene([reply(echo('one')), TOO_LONG, SUMMARY, TOO_LONG]);
  expect((await run(t, 'do it')).result).toMatchObject({
    status: 'failed',
    error: { code: 'context_length_exceeded', message: expect.stringContaining('context window') },
  });
  expect(t.model.requests).toHaveLength(4);
});

/** Returns a server that accepts `items` items and refuses a request after a number of calls. */
function narrow(items: number, calls: number) {
  let work = 0;
  return (request: RecordedRequest): ScriptedAnswer => {
    const length = request.body.input?.length ?? 0;
    if (asksForSummary(request)) return length > items ? TOO_LONG : SUMMARY;
    if (work < calls) return reply(echo(String(++work)));
    return length > items ? TOO_LONG : reply(say('done'));
  };
}

test('a history that is too long even for a summary is shortened from its beginning, in few steps', async () => {
  const s = await libraryScene(narrow(20, 60));
  const { result } = await run(s, 'do it');
  expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  const asked = s.model.requests.filter(asksForSummary);
  expect(asked.length).toBeLessThanOrEqual(5);
  const lengths = asked.map(({ body }) => body.input?.length ?? 0);
  expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
  expectValidRequests(s);
});

test('a message that fits nowhere is truncated for the summary', async () => {
  const s = await libraryScene((request: RecordedRequest) => {
    const bytes = request.bytes.length;
    if (asksForSummary(request)) return bytes > 80_000 ? TOO_LONG : SUMMARY;
    return bytes > 150_000 ? TOO_LONG : reply(say('done'));
  });
  const { result } = await run(s, `begin ${'x'.repeat(400_000)} end`);
  expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  const last = JSON.stringify(s.model.requests.at(-1)?.body.input);
  expect(last).toMatch(/begin x+…\d+ tokens truncated…x+ end/);
});

test('a server that refuses every request fails the turn, and the history is unchanged', async () => {
  const s = await libraryScene(narrow(0, 3));
  const { thread, result } = await run(s, 'do it');
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'context_length_exceeded', message: expect.stringContaining('could not be compacted') },
  });
  expect(outline(thread.state.history)).toContain('function_call_output');
  expect(s.rollout().some(({ type }: LogLine) => type === 'compacted')).toBe(false);
  expect(s.model.requests.length).toBeLessThan(12);
});

test.each(WIRES)('the wire %s behaves the same', async (wire) => {
  const script = (request: RecordedRequest, n: number): ScriptedAnswer => {
    const text = JSON.stringify(decodedRequest(request).input.at(-1));
    if (text.includes('The history of this thread')) return reply(say('Summary.'), counting(30_000));
    if (n === 1) return reply(echo('one'), counting(30_000));
    return n === 3 ? reply(echo('two'), { omitUsage: true }) : n === 4 ? TOO_LONG_400 : reply(say('done'));
  };
  const s = await libraryScene(script, over(wire, { model_auto_compact_token_limit: 20_000 }));
  const { result } = await run(s, 'do it');
  expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(s.events.filter(({ type }) => type === 'compacted')).toMatchObject([
    { reason: 'limit' },
    { reason: 'overflow' },
  ]);
  expect(s.model.requests[1]?.body.tools ?? []).toEqual([]);
  expectValidRequests(s);
});
