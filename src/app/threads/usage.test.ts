import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { LineBlock } from '../../base/thread-store.ts';
import { lineHead } from '../../log/line-head.ts';
import { readUsageLines } from '../../log/usage-lines.ts';
import { foldUsage } from './fold-usage.ts';

const tokens = fc.record(
  {
    input_tokens: fc.nat(3),
    cached_input_tokens: fc.oneof(fc.nat(9), fc.constant(-0), fc.double({ noNaN: true, noDefaultInfinity: true })),
    output_tokens: fc.oneof(fc.nat(), fc.constantFrom(null, '7', true)),
    reasoning_output_tokens: fc.nat(2),
    total_tokens: fc.nat(2),
    7: fc.nat(1),
  },
  { requiredKeys: ['input_tokens'] },
);
const usage = fc.oneof({ weight: 4, arbitrary: tokens }, { weight: 1, arbitrary: fc.constantFrom(null, 3, 'x', []) });
const id = fc.oneof(fc.constantFrom('a', 'b', 'ü', 'with "quotes"', '0190-7'), fc.string({ unit: 'binary' }));
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const event = (type: string, more: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ type: fc.constant('event_msg'), payload: fc.record({ type: fc.constant(type), ...more }) });
const own = (kind: string, more: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ type: fc.constant('oxbow'), payload: fc.record({ kind: fc.constant(kind), ...more }) });

const line = fc.oneof(
  event('task_started', { turn_id: some(id) }),
  event('task_complete', { turn_id: id, last_agent_message: some(id) }),
  event('turn_aborted', { turn_id: id }),
  event('user_message', { message: id, images: fc.array(id, { maxLength: 2 }) }),
  event('token_count', {
    info: some(fc.record({ total_token_usage: some(usage), last_token_usage: some(usage) })),
    rate_limits: some(fc.record({ primary: some(fc.record({ used_percent: fc.nat(3), model: id })) })),
  }),
  own('request.started', { request: fc.nat(5), attempt: some(fc.nat(1)), digest: id }),
  own('request.ended', {
    ...{ request: fc.nat(5), ms: fc.oneof(fc.nat(), id), model: some(id), error: some(id), usage: some(usage) },
    ...{ cost: some(fc.oneof(fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true }))) },
    ...{ retries: some(fc.nat(2)), repairs: some(fc.nat(2)), sent_bytes: some(fc.nat()), received_bytes: some(id) },
  }),
  own('repair'),
  own('turn.failed'),
  own('checkpoint', { turns: fc.nat(5) }),
  fc.record({ type: fc.constant('turn_context'), payload: fc.record({ turn_id: some(id), model: some(id) }) }),
  fc.record({
    type: fc.constant('response_item'),
    payload: fc.record({
      type: fc.constant('message'),
      role: fc.constant('user'),
      content: fc.array(fc.record({ type: fc.constant('input_text'), text: id }), { maxLength: 2 }),
    }),
  }),
);

/** Ways in which a line may be written or damaged. */
const change = fc.oneof(
  { weight: 12, arbitrary: fc.constant((text: string) => text) },
  fc.nat().map((at) => (text: string) => text.slice(0, at % (text.length + 1))),
  fc.nat().map((at) => (text: string) => text.slice(0, at % text.length) + text.slice((at % text.length) + 1)),
  fc.tuple(fc.nat(), fc.constantFrom('0', '"', ',', ' ', '}', '\\', '\t', 'é', '-', '.', 'e')).map(
    ([at, byte]) =>
      (text: string) =>
        text.slice(0, at % text.length) + byte + text.slice(at % text.length),
  ),
  fc.constant((text: string) => text.replaceAll(':', ': ').replaceAll(',', ', ')),
  fc.constant((text: string) => text.replace('"turn_id"', '"turn\\u005fid"').replace('"request"', '"\\u0072equest"')),
  fc.constant((text: string) => text.replace('"payload":{', '"payload":{"turn_id":"first","request":9,"ms":8,')),
  fc.constant((text: string) => text.replace(/"payload":(.*)\}$/, '"payload":$1,"payload":{"type":"task_started"}}')),
);

const written = fc.tuple(line, change, fc.nat(9)).map(([one, changed, ordinal]) => {
  const timestamp = `2026-01-0${ordinal}T00:00:00.000Z`;
  return changed(JSON.stringify({ timestamp, ordinal, ...one })).replaceAll('\n', '');
});

const KINDS: Readonly<Record<string, readonly (string | undefined)[]>> = {
  event_msg: ['task_started', 'task_complete', 'turn_aborted', 'thread_rolled_back', 'user_message', 'token_count'],
  oxbow: ['request.started', 'request.ended', 'repair', 'turn.failed', 'checkpoint'],
  response_item: ['message'],
};

/** Reports whether the head of a line, which may be damaged, does not say that the line has no figures. */
function isCounted(text: string): boolean {
  const bytes = Buffer.from(text);
  const head = lineHead(bytes, 0, bytes.length);
  if (!head || head.type === 'turn_context') return true;
  if (head.type === 'response_item' && !bytes.toString('latin1', 0, 384).includes('"role":"user"')) return false;
  return KINDS[head.type]?.includes(head.kind) ?? false;
}

/** Parses every line with figures. */
function plainly(lines: readonly string[]) {
  const fold = foldUsage({ keepRequests: true });
  const damaged: number[] = [];
  for (const [index, text] of lines.entries()) {
    if (!isCounted(text)) continue;
    const value = parsed(Buffer.from(text).toString('utf8'));
    if (!value) damaged.push(index + 1);
    else fold.apply({ type: 'line', of: value.type, time: () => value.time, payload: value.payload });
  }
  return { turns: fold.turns(), damaged };
}

function parsed(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value.type !== 'string' || !isRecord(value.payload)) return undefined;
    const { type, payload, timestamp } = value;
    return { type, payload, time: typeof timestamp === 'string' ? timestamp : null };
  } catch {
    return undefined;
  }
}

async function quickly(lines: readonly string[], together: number) {
  async function* blocks(): AsyncGenerator<LineBlock, void, undefined> {
    for (let at = 0; at < lines.length; at += together)
      yield { label: 'a file', number: at + 1, bytes: Buffer.from(lines.slice(at, at + together).join('\n')) };
  }
  const fold = foldUsage({ keepRequests: true });
  const damaged: number[] = [];
  await readUsageLines(blocks(), { apply: fold.apply, onDamaged: (number) => damaged.push(number) });
  return { turns: fold.turns(), damaged };
}

test('lines that are not parsed count as if they were, however they are written or damaged', async () => {
  const repeated = fc
    .array(written, { minLength: 1, maxLength: 12 })
    .chain((few) => fc.array(fc.oneof(written, fc.constantFrom(...few)), { maxLength: 40 }));
  await fc.assert(
    fc.asyncProperty(repeated, fc.integer({ min: 1, max: 9 }), async (lines, together) => {
      expect(await quickly(lines, together)).toEqual(plainly(lines));
    }),
    { numRuns: runs(300) },
  );
});
