import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { ModelEvent } from '../../base/model.ts';
import { encodeStream } from '../../wire/chat/encode-stream.ts';
import { anyResponse } from '../../wire/chat/fixtures/arbitrary-response.ts';
import { DONE, repair, repairOnce, TOOLS } from './fixtures/repair-frames.ts';

const FOLDER = resolve(process.cwd(), '../shared/fixtures/streams/chat');
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [];
const STREAMS = FILES.filter((name) => name.endsWith('.chunks.txt'));
const BODIES = FILES.filter((name) => name.endsWith('.json') && !name.includes('error'));

const textOf = (name: string) => readFileSync(resolve(FOLDER, name), 'utf8');
const linesOf = (name: string) =>
  textOf(name)
    .split('\n')
    .filter((line) => line.trim() !== '');

describe.skipIf(STREAMS.length === 0)('recorded streams', () => {
  test.each(STREAMS)('%s passes unchanged', (name) => {
    const tools = new Map([...TOOLS, ['weather', { schema: { type: 'object' } }]]);
    for (const lines of [linesOf(name), [...linesOf(name), DONE]]) {
      const { data, repairs } = repair(lines, { tools });
      expect(repairs).toEqual([]);
      expect(data).toEqual(lines);
    }
  });

  test('there are some of them', () => expect(STREAMS.length).toBeGreaterThan(5));
});

describe.skipIf(BODIES.length === 0)('recorded bodies', () => {
  test.each(BODIES)('%s becomes a stream', (name) => {
    const [{ message, finish_reason }] = JSON.parse(textOf(name)).choices;
    const repaired = repair([textOf(name)]);
    expect(repaired.ids).toEqual(['F13']);
    expect(repaired.text).toBe(message.content ?? '');
    expect(repaired.reasoning).toBe(message.reasoning_content ?? message.reasoning ?? '');
    expect(repaired.callIds).toEqual((message.tool_calls ?? []).map(({ id }: { id: string }) => id));
    expect(repaired.end).toBe(finish_reason === 'length' ? 'max_output_tokens' : 'completed');
    expect(repaired.data.at(-1)).toBe(DONE);
  });
});

/** Returns the frames of a response as a careful server would send them: with unique ids, and JSON where it belongs. */
function framesOf(events: readonly ModelEvent[]): readonly string[] {
  const encoder = encodeStream({ model: 'm', createdAt: 0 });
  return events.flatMap((event) => encoder.push(event)).map(({ data }) => data);
}

interface LiveCall {
  readonly name: string;
  readonly callId: string;
  readonly pieces: string[];
}

/** Returns the same response with a declared name, a unique id and a JSON object of the same pieces for each call. */
function tidied(events: readonly ModelEvent[]): readonly ModelEvent[] {
  const names = ['get_weather', 'add', 'now'];
  const calls = new Map<string, LiveCall>();
  return events.flatMap((event): ModelEvent[] => {
    if (event.type === 'item.started' && event.item.callId !== undefined) {
      const live = { name: names[calls.size % names.length] ?? 'add', callId: `call_${calls.size}`, pieces: [] };
      calls.set(event.item.id, live);
      const { name, callId } = live;
      return [{ ...event, item: { ...event.item, name, callId } }];
    }
    const live = calls.get('itemId' in event ? event.itemId : event.type === 'item.done' ? String(event.item.id) : '');
    if (live === undefined) return [event];
    if (event.type === 'input.delta') {
      const delta = `${live.pieces.length === 0 ? '{' : ','}${JSON.stringify(`${live.pieces.length}`)}:${JSON.stringify(event.delta)}`;
      live.pieces.push(delta);
      return [{ ...event, delta }];
    }
    if (event.type !== 'item.done') return [event];
    const text = `${live.pieces.join('') || '{'}}`;
    const { item } = event;
    if (item.type === 'function_call') return [{ ...event, item: { ...item, ...named(live), arguments: text } }];
    if (item.type === 'custom_tool_call') return [{ ...event, item: { ...item, ...named(live), input: text } }];
    return [event];
  });
}

const named = ({ name, callId }: LiveCall) => ({ name, call_id: callId });

describe('responses of any kind', () => {
  test('pass unchanged if they are healthy', () => {
    fc.assert(
      fc.property(anyResponse, (events) => {
        const frames = framesOf(tidied(events));
        const { data, repairs } = repairOnce(frames);
        expect(repairs).toEqual([]);
        expect(data).toEqual(frames);
      }),
      { numRuns: runs(500) },
    );
  });
});
