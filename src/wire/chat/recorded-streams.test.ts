import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createParser } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import { isCall, messageText } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { decodeRequest } from './decode-request.ts';
import { decodeStream } from './decode-stream.ts';
import { encodeStream } from './encode-stream.ts';

const FOLDER = resolve(process.cwd(), '../shared/fixtures/streams/chat');
const FILES = existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [];
const STREAMS = FILES.filter((name) => name.endsWith('.chunks.txt'));
const BODIES = FILES.filter((name) => name.endsWith('.json') && !name.includes('error'));

const linesOf = (name: string) =>
  readFileSync(resolve(FOLDER, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

function decode(lines: readonly string[]): ModelEvent[] {
  const decoder = decodeStream();
  return [...lines.flatMap((data) => decoder.push({ data })), ...decoder.end()];
}

function decodeBytes(bytes: Uint8Array): ModelEvent[] {
  const lines: string[] = [];
  createParser({ onEvent: ({ data }) => lines.push(data) }).feed(new TextDecoder().decode(bytes));
  return decode(lines);
}

interface Chunk {
  readonly id: string;
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason?: string | null }[];
  readonly usage?: Counts | null;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

interface Counts {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

/** Reads a recording as a person would: joins all deltas of a kind, and all pieces of a call. */
function readRecording(name: string) {
  const chunks = linesOf(name).map((line) => JSON.parse(line) as Chunk);
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const pieces = deltas.flatMap((delta) => delta.tool_calls ?? []);
  const indexes = [...new Set(pieces.map(({ index }) => index))];
  const usages = chunks.flatMap(({ usage }) => usage ?? []);
  return {
    id: chunks.map(({ id }) => id).find((id) => id !== '') ?? '',
    text: deltas.map(({ content }) => content ?? '').join(''),
    reasoning: deltas.map((delta) => delta.reasoning_content ?? delta.reasoning ?? '').join(''),
    calls: indexes.map((index) => {
      const own = pieces.filter((piece) => piece.index === index);
      return {
        call_id: own[0]?.id,
        name: own[0]?.function?.name,
        arguments: own.map((piece) => piece.function?.arguments ?? '').join(''),
      };
    }),
    finish: chunks.flatMap(({ choices }) => choices.flatMap((choice) => choice.finish_reason ?? [])),
    usage: usages.at(-1),
  };
}

const joined = (events: readonly ModelEvent[], type: 'text.delta' | 'reasoning.delta') =>
  events.map((event) => (event.type === type ? event.delta : '')).join('');

describe.skipIf(STREAMS.length === 0)('recorded streams', () => {
  const seen = { streams: 0, texts: 0, reasonings: 0, calls: 0, usages: 0 };

  test.each(STREAMS)('%s is decoded to what a reader finds in it', (name) => {
    const recording = readRecording(name);
    const events = decode(linesOf(name));
    const items = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));

    expect(joined(events, 'text.delta')).toBe(recording.text);
    expect(joined(events, 'reasoning.delta')).toBe(recording.reasoning);
    const texts = items.flatMap((item) => (item.type === 'message' ? [messageText(item)] : []));
    expect(texts).toEqual([recording.text].filter((text) => text !== ''));
    const thoughts = items.flatMap((item) => (item.type === 'reasoning' ? (item.content ?? []) : []));
    expect(thoughts.map(({ text }) => text)).toEqual([recording.reasoning].filter((text) => text !== ''));
    expect(items.filter(isCall)).toMatchObject(recording.calls);
    expect(events.at(0)).toEqual({ type: 'created', responseId: recording.id });
    expect(events.at(-1)).toEqual({
      ...(recording.finish.at(-1) === 'length'
        ? { type: 'incomplete', reason: 'max_output_tokens' }
        : { type: 'completed', endTurn: null }),
      responseId: recording.id,
      usage: {
        inputTokens: recording.usage?.prompt_tokens,
        cachedInputTokens: recording.usage?.prompt_tokens_details?.cached_tokens ?? 0,
        cacheWriteInputTokens: 0,
        outputTokens: recording.usage?.completion_tokens,
        reasoningOutputTokens: recording.usage?.completion_tokens_details?.reasoning_tokens ?? 0,
        totalTokens: recording.usage?.total_tokens,
      },
    });
    seen.streams++;
    seen.texts += recording.text.length;
    seen.reasonings += recording.reasoning.length;
    seen.calls += recording.calls.length;
    seen.usages += recording.usage === undefined ? 0 : 1;
  });

  test.each(STREAMS)('%s can be encoded again', (name) => {
    const events = decode(linesOf(name));
    const encoder = encodeStream({ model: 'm', createdAt: 0, includeUsage: true });
    const frames = events.flatMap((event) => encoder.push(event));
    expect(decode(frames.map((frame) => frame.data))).toStrictEqual(events);
  });

  const SMALL = STREAMS.filter((name) => statSync(resolve(FOLDER, name)).size < 10_000);
  test.each(SMALL)('%s, cut at every byte, never has more than the whole and reports that it broke off', (name) => {
    const whole = decode(linesOf(name));
    const bytes = Buffer.from(
      linesOf(name)
        .map((line) => `data: ${line}\n\n`)
        .join(''),
    );
    let broken = 0;
    for (let at = 0; at <= bytes.length; at++) {
      const events = decodeBytes(bytes.subarray(0, at));
      const begun = events.slice(0, -1);
      expect(begun, `byte ${at}`).toEqual(whole.slice(0, begun.length));
      const [last] = events.slice(-1);
      if (last?.type === 'failed') broken++;
      else expect({ ...last, usage: null }, `byte ${at}`).toEqual({ ...whole.at(-1), usage: null });
    }
    expect(broken).toBeGreaterThan(bytes.length / 3);
  });

  test('these were streams with texts, reasoning, calls and usages in them', () => {
    expect(seen.streams).toBe(STREAMS.length);
    expect(seen.streams).toBeGreaterThan(5);
    expect(seen.usages).toBe(seen.streams);
    expect(seen.texts).toBeGreaterThan(1000);
    expect(seen.reasonings).toBeGreaterThan(1000);
    expect(seen.calls).toBeGreaterThan(2);
  });
});

describe.skipIf(BODIES.length === 0)('recorded bodies', () => {
  const seen = { texts: 0, reasonings: 0, calls: 0 };

  test.each(BODIES)('the message of %s can be sent in the next request', (name) => {
    const { choices } = JSON.parse(readFileSync(resolve(FOLDER, name), 'utf8'));
    const [{ message }] = choices;
    const { input } = decodeRequest({ model: 'm', messages: [{ role: 'user', content: 'go' }, message] });
    const [, ...items] = input;
    const texts = items.flatMap((item) => (item.type === 'message' ? [messageText(item)] : []));
    expect(texts).toEqual(message.content ? [message.content] : []);
    const thought = message.reasoning_content ?? message.reasoning;
    expect(items.filter((item) => item.type === 'reasoning')).toMatchObject(
      thought ? [{ content: [{ text: thought }] }] : [],
    );
    const calls = (message.tool_calls ?? []).map((call: { id: string; function: object }) => ({
      call_id: call.id,
      ...call.function,
    }));
    expect(items.filter(isCall)).toMatchObject(calls);
    expect(items).toHaveLength(texts.length + calls.length + (thought ? 1 : 0));
    seen.texts += texts.length;
    seen.reasonings += thought ? 1 : 0;
    seen.calls += calls.length;
  });

  test('these were bodies with texts, reasoning and calls in them', () => {
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(2);
  });
});
