import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createParser } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import { type Item, isCall, messageText } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { canonicalItem, canonicalType } from './canonical-item.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeStream } from './encode-stream.ts';

const FOLDER = resolve(process.cwd(), '../shared/fixtures/streams/responses');
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [];
const STREAMS = FILES.filter((name) => name.endsWith('.chunks.txt'));
const BODIES = FILES.filter((name) => name.endsWith('.json'));

/** Recordings from which deltas were removed, so that the deltas do not add up to the text. */
const SHORTENED = /phase\.1|shell-container\.1/;
/** A recording whose first and last line are torn. */
const TORN = /parallel-tool-call-wrapper/;
const FAILED = /error/;

/** Returns the responses of a recording. Some recordings hold several turns. */
function responsesOf(name: string): string[][] {
  const responses: string[][] = [];
  for (const line of readFileSync(resolve(FOLDER, name), 'utf8').split('\n')) {
    if (line.startsWith('{"type":"response.created"') || responses.length === 0) responses.push([]);
    if (line.trim() !== '') responses.at(-1)?.push(line);
  }
  return responses;
}

function decode(lines: readonly string[]): ModelEvent[] {
  const decoder = decodeStream();
  return [...lines.flatMap((data) => decoder.push({ data })), ...decoder.end()];
}

function decodeBytes(bytes: Uint8Array): ModelEvent[] {
  const lines: string[] = [];
  createParser({ onEvent: ({ data }) => lines.push(data) }).feed(new TextDecoder().decode(bytes));
  return decode(lines);
}

/** Removes the ciphertext: servers encrypt an item again for each frame. */
const comparable = (item: object) => ({ ...item, encrypted_content: 'encrypted_content' in item });

const doneItems = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

const textOf = (events: readonly ModelEvent[], id: unknown) =>
  events.flatMap((event) => (event.type === 'text.delta' && event.itemId === id ? [event.delta] : [])).join('');

describe.skipIf(STREAMS.length === 0)('recorded streams', () => {
  const seen = { items: 0, calls: 0, texts: 0, usages: 0 };

  const SMALL = STREAMS.filter((name) => !TORN.test(name) && statSync(resolve(FOLDER, name)).size < 10_000);
  test.each(SMALL)('%s, cut at every byte, is a prefix of the whole and reports that it broke off', (name) => {
    for (const lines of responsesOf(name)) {
      const whole = decode(lines);
      const bytes = Buffer.from(lines.map((line) => `data: ${line}\n\n`).join(''));
      for (let at = 0; at < bytes.length; at++) {
        const events = decodeBytes(bytes.subarray(0, at));
        const last = events.at(-1);
        const begun = last?.type === 'failed' ? events.slice(0, -1) : events;
        expect(begun, `byte ${at}`).toEqual(whole.slice(0, begun.length));
        expect(last?.type === 'failed' || begun.length === whole.length, `byte ${at}`).toBe(true);
      }
    }
  });

  test.each(STREAMS.filter((name) => !FAILED.test(name) && !TORN.test(name)))('%s is decoded to its items', (name) => {
    for (const lines of responsesOf(name)) {
      const { response } = JSON.parse(lines.at(-1) ?? '');
      const events = decode(lines);
      const items = doneItems(events);
      const expected = (response.output as unknown[]).flatMap((item) => canonicalItem(item) ?? []);
      expect(items.map(comparable)).toStrictEqual(expected.map(comparable));
      expect(items.filter(isCall).map((call) => call.call_id)).toEqual(callIds(response.output));
      expect(startedIds(events)).toEqual(items.map((item) => item.id));
      expect(events.at(0)).toEqual({ type: 'created', responseId: response.id });
      expect(events.at(-1)).toEqual({
        type: 'completed',
        responseId: response.id,
        usage: usage(response),
        endTurn: null,
      });
      const messages = items.filter((item) => item.type === 'message');
      for (const message of SHORTENED.test(name) ? [] : messages) {
        expect(textOf(events, message.id)).toBe(messageText(message));
        seen.texts++;
      }
      seen.items += items.length;
      seen.calls += items.filter(isCall).length;
      seen.usages += response.usage.total_tokens > 0 ? 1 : 0;
    }
  });

  test.each(STREAMS.filter((name) => !SHORTENED.test(name) && !TORN.test(name)))('%s can be encoded again', (name) => {
    for (const lines of responsesOf(name)) {
      const events = decode(lines);
      const encoder = encodeStream({ model: 'm', createdAt: 0 });
      const frames = events.flatMap((event) => encoder.push(event));
      expect(decode(frames.map((frame) => frame.data))).toStrictEqual(events);
    }
  });

  test.each(STREAMS.filter((name) => FAILED.test(name)))('%s ends in a failure', (name) => {
    const events = decode(responsesOf(name).flat());
    expect(events.map((event) => event.type)).toEqual(['created', 'failed']);
    expect(events.at(-1)).toMatchObject({ code: 'insufficient_quota', message: expect.stringContaining('quota') });
  });

  test.each(STREAMS.filter((name) => TORN.test(name)))('%s is broken, and its call is there', (name) => {
    const events = decode(responsesOf(name).flat());
    expect(doneItems(events)).toMatchObject([{ type: 'function_call', name: 'parallel' }]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', code: 'stream_closed' });
  });

  test('these were streams with items, calls, texts and usages in them', () => {
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
  });

  function callIds(output: readonly { type: string; call_id?: string }[]): (string | undefined)[] {
    const calls = ['function_call', 'custom_tool_call', 'local_shell_call'];
    return output.filter((item) => calls.includes(item.type)).map((item) => item.call_id);
  }

  function startedIds(events: readonly ModelEvent[]): string[] {
    return events.flatMap((event) => (event.type === 'item.started' ? [event.item.id] : []));
  }

  function usage(response: { usage: Record<string, Record<string, number> | undefined> }): object {
    const { input_tokens, input_tokens_details, output_tokens, output_tokens_details, total_tokens } = response.usage;
    return {
      inputTokens: input_tokens,
      cachedInputTokens: input_tokens_details?.cached_tokens,
      cacheWriteInputTokens: input_tokens_details?.cache_write_tokens ?? 0,
      outputTokens: output_tokens,
      reasoningOutputTokens: output_tokens_details?.reasoning_tokens,
      totalTokens: total_tokens,
    };
  }
});

describe.skipIf(BODIES.length === 0)('recorded bodies', () => {
  let taken = 0;

  test.each(BODIES)('every item of %s that has a known type is read', (name) => {
    const { output = [] } = JSON.parse(readFileSync(resolve(FOLDER, name), 'utf8')) as { output?: Item[] };
    const known = output.filter((item) => canonicalType({ ...item }) !== undefined);
    for (const item of known) {
      expect(canonicalItem(item)).toMatchObject({ type: item.type, id: item.id });
      taken++;
    }
  });

  test('these were bodies with items in them', () => {
    expect(taken).toBeGreaterThan(10);
  });
});
