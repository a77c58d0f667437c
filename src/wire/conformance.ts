import fc from 'fast-check';
import { expect } from 'vitest';
import { UserError } from '../base/errors.ts';
import { type Item, isCall } from '../base/item.ts';
import type { ModelEvent, ModelRequest } from '../base/model.ts';
import { wholeText } from '../base/request-text.ts';
import { NO_USAGE, type Usage } from '../base/usage.ts';
import { DEFAULT_COMPAT, type Frame } from '../base/wire.ts';
import { repairStream } from './repair/repair-stream.ts';
import type { Fields } from './request-fields.ts';
import type { Wire } from './wire.ts';

/** Makers of requests and answers of one wire. `src/wire/<name>/fixtures/conformance.ts` exports them as `fixtures`. */
export interface WireFixtures {
  /** Requests as the wire can carry them: they are the same after encoding and decoding. */
  readonly anyRequest: fc.Arbitrary<ModelRequest>;
  /** Bodies that look like requests, most of them wrong. */
  readonly anyBody: fc.Arbitrary<unknown>;
  /** The events of responses as the wire can say them: they are the same after encoding and decoding. */
  readonly anyResponse: fc.Arbitrary<readonly ModelEvent[]>;
  /** Frames that look like those of the wire, most of them wrong. */
  readonly anyFrame: fc.Arbitrary<Frame>;
}

/** A promise that every wire keeps. `check` throws where this one does not. */
export interface ConformanceCase {
  readonly name: string;
  check(wire: Wire, fixtures: WireFixtures): void;
}

/** The promises of a codec, in its own words and in bytes. What a gateway relies on besides is in `EDGE_CASES`. */
export const CODEC_CASES: readonly ConformanceCase[] = [
  {
    name: 'a request survives encoding and decoding',
    check(wire, { anyRequest }) {
      fc.assert(
        fc.property(anyRequest, (request) => {
          expect(wire.decodeRequest(bodyOf(wire, request))).toStrictEqual(request);
        }),
        { numRuns: 300 },
      );
    },
  },
  {
    name: 'a body that is not a request is refused with a sentence, whatever it holds',
    check(wire, { anyBody }) {
      fc.assert(
        fc.property(fc.oneof(anyBody, fc.jsonValue()), (body) => {
          try {
            expect(Array.isArray(wire.decodeRequest(body).input)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(UserError);
            expect(String(error)).toMatch(/must be .+\.$/s);
          }
        }),
        { numRuns: 1000 },
      );
    },
  },
  {
    name: 'a response survives encoding and decoding',
    check(wire, { anyResponse }) {
      fc.assert(
        fc.property(anyResponse, (events) => {
          expect(decode(wire, framesOf(wire, events))).toStrictEqual(events);
        }),
        { numRuns: 500 },
      );
    },
  },
  {
    name: 'the bytes of a stream may be cut anywhere, and come one by one',
    check(wire, { anyResponse }) {
      fc.assert(
        fc.property(anyResponse, (events) => {
          const bytes = bytesOf(wire, events);
          for (let at = 0; at <= bytes.length; at += Math.ceil(bytes.length / MOST_CUTS)) {
            expect(decodeBytes(wire, [bytes.subarray(0, at), bytes.subarray(at)])).toStrictEqual(events);
          }
          expect(
            decodeBytes(
              wire,
              Array.from(bytes, (byte) => Uint8Array.of(byte)),
            ),
          ).toStrictEqual(events);
        }),
        { numRuns: 20 },
      );
      const sample = bytesOf(wire, SPOKEN);
      const whole = decodeBytes(wire, [sample]);
      for (let at = 0; at <= sample.length; at++) {
        expect(decodeBytes(wire, [sample.subarray(0, at), sample.subarray(at)])).toStrictEqual(whole);
      }
    },
  },
  {
    name: 'a frame that was parsed already is not parsed again',
    check(wire, { anyResponse }) {
      fc.assert(
        fc.property(anyResponse, (events) => {
          const frames = framesOf(wire, events).map((frame) =>
            isJson(frame.data) ? { ...frame, data: 'no JSON', json: JSON.parse(frame.data) } : frame,
          );
          expect(decode(wire, frames)).toStrictEqual(events);
        }),
      );
      for (const json of [null, 7, 'x', []]) {
        expect(wire.decodeStream().push({ data: 'no JSON', json })).toEqual([]);
      }
    },
  },
  {
    name: 'no frame makes the decoder throw, and every stream has exactly one ending',
    check(wire, { anyFrame }) {
      fc.assert(
        fc.property(fc.array(anyFrame), (frames) => {
          const events = decode(wire, frames);
          expect(events.filter(isEnding)).toEqual(events.slice(-1));
          for (const event of events) {
            if ('itemId' in event) expect(event.itemId).toMatch(/./s);
            if ('item' in event) expect(event.item.id).toMatch(/./s);
          }
        }),
        { numRuns: 2000 },
      );
    },
  },
  {
    name: 'a connection that breaks before the end of the response is never a success',
    check(wire, { anyResponse }) {
      fc.assert(
        fc.property(fc.oneof(anyResponse, fc.constantFrom(...SAMPLES)), fc.nat(), (events, seed) => {
          const before = framesOf(wire, events.slice(0, -1));
          const ending = framesOf(wire, events)[before.length];
          const whole = wire.framing.write(before);
          const cut = whole + wire.framing.write(ending === undefined ? [] : [ending]).slice(0, 1 + (seed % 7));
          for (const text of [whole, cut, whole.slice(0, seed % (whole.length + 1))]) {
            const last = decodeBytes(wire, [Buffer.from(text)]).at(-1);
            expect(last).toMatchObject({ type: 'failed', code: 'stream_closed' });
          }
        }),
        { numRuns: 300 },
      );
    },
  },
  {
    name: 'a failure comes with its code and its message',
    check(wire) {
      const failed = { type: 'failed', code: 'rate_limit_exceeded', message: 'Slow down.' } as const;
      for (const events of [[failed], [CREATED, failed], [...SPOKEN.slice(0, -1), failed]]) {
        expect(decode(wire, framesOf(wire, events)).at(-1)).toEqual(failed);
      }
    },
  },
  {
    name: 'a whole body says what the stream of the same events says',
    check(wire) {
      for (const events of SAMPLES) {
        const body = wire.encodeBody(events, OPTIONS);
        expect(saidBy(decodeBody(wire, body))).toEqual(saidBy(decode(wire, framesOf(wire, events))));
        expect(wire.isWholeAnswer(JSON.stringify(body))).toBe(true);
      }
    },
  },
  {
    name: 'frames are read as they were written',
    check(wire, { anyResponse }) {
      fc.assert(
        fc.property(anyResponse, (events) => {
          const frames = framesOf(wire, events);
          expect(framesIn(wire, Buffer.from(wire.framing.write(frames)))).toEqual(frames);
        }),
      );
    },
  },
  {
    name: 'every tool that is a function is sent',
    check(wire) {
      expect(wire.unsentTools([TOOL])).toEqual([]);
      const decoded = wire.decodeRequest(bodyOf(wire, { ...REQUEST, tools: [TOOL] }));
      expect(decoded.tools).toMatchObject([{ type: 'function', name: TOOL.name }]);
    },
  },
];

const MOST_CUTS = 40;
export const OPTIONS = { model: 'm', createdAt: 1_700_000_000, includeUsage: true };

const TOOL = { type: 'function', name: 'look', description: 'Looks.', strict: false, parameters: {} } as const;

export const REQUEST: ModelRequest = {
  model: 'm',
  instructions: 'Be brief.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
  tools: [TOOL],
  toolChoice: 'auto',
  parallelToolCalls: true,
  reasoning: {},
  store: false,
  include: [],
};

export const USAGE: Usage = { ...NO_USAGE, inputTokens: 7, outputTokens: 5, totalTokens: 12 };
const CREATED: ModelEvent = { type: 'created', responseId: 'r' };
const COMPLETED: ModelEvent = { type: 'completed', responseId: 'r', usage: USAGE, endTurn: null };

/** A response with a text of all kinds of characters. */
const SPOKEN = [CREATED, ...messageLife('msg_r_0', ['né ', '河\r\n🦬']), COMPLETED];
/** A response with a text and two calls. */
export const CALLING = [
  CREATED,
  ...messageLife('msg_r_0', ['Let me ', 'see.']),
  ...callLife('fc_r_1', 'c1', '{"a":1}'),
  ...callLife('fc_r_2', 'c2', '{"b":2}'),
  COMPLETED,
];
const CUT_OFF: ModelEvent = { type: 'incomplete', responseId: 'r', reason: 'max_output_tokens', usage: USAGE };

export const SAMPLES: readonly (readonly ModelEvent[])[] = [
  SPOKEN,
  CALLING,
  [CREATED, ...callLife('fc_r_0', 'c1', '{}'), COMPLETED],
  [CREATED, ...messageLife('msg_r_0', ['One. ', 'Two.']), CUT_OFF],
];

function messageLife(id: string, pieces: readonly string[]): readonly ModelEvent[] {
  const item: Item = {
    type: 'message',
    id,
    role: 'assistant',
    content: [{ type: 'output_text', text: pieces.join('') }],
  };
  const deltas = pieces.map((delta): ModelEvent => ({ type: 'text.delta', itemId: id, delta }));
  return [{ type: 'item.started', item: { type: 'message', id } }, ...deltas, { type: 'item.done', item }];
}

function callLife(id: string, callId: string, args: string): readonly ModelEvent[] {
  return [
    { type: 'item.started', item: { type: 'function_call', id, name: TOOL.name, callId } },
    { type: 'input.delta', itemId: id, delta: args },
    { type: 'item.done', item: { type: 'function_call', id, name: TOOL.name, arguments: args, call_id: callId } },
  ];
}

export function bodyOf(wire: Wire, request: ModelRequest): Fields {
  return JSON.parse(wholeText(wire.encodeRequest(request, DEFAULT_COMPAT)));
}

export function framesOf(wire: Wire, events: readonly ModelEvent[]): readonly Frame[] {
  const encoder = wire.encodeStream(OPTIONS);
  return events.flatMap((event) => encoder.push(event));
}

export function decode(wire: Wire, frames: readonly Frame[]): readonly ModelEvent[] {
  const decoder = wire.decodeStream();
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
}

function bytesOf(wire: Wire, events: readonly ModelEvent[]): Buffer {
  return Buffer.from(wire.framing.write(framesOf(wire, events)));
}

function framesIn(wire: Wire, ...pieces: readonly Uint8Array[]): readonly Frame[] {
  const reader = wire.framing.createReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

function decodeBytes(wire: Wire, pieces: readonly Uint8Array[]): readonly ModelEvent[] {
  return decode(wire, framesIn(wire, ...pieces));
}

/** Reads a body as the gateway and the agent do where a server does not stream. */
function decodeBody(wire: Wire, body: unknown): readonly ModelEvent[] {
  const repair = repairStream(wire.name, {
    request: REQUEST,
    compat: DEFAULT_COMPAT,
    memory: { startsThinking: false },
    onRepair: () => {},
  });
  const frames = framesIn(wire, Buffer.from(JSON.stringify(body, null, 2)));
  return decode(wire, [...frames.flatMap((frame) => repair.push(frame)), ...repair.end()]);
}

/** Returns what a reader makes of a response, whatever the ids of its items and the pieces of its texts are. */
export function saidBy(events: readonly ModelEvent[]) {
  const items = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  const last = events.at(-1);
  return {
    text: items.map(textOf).join(''),
    calls: items.filter(isCall).map(({ id: _, ...call }) => call),
    ending: last?.type,
    usage: last !== undefined && 'usage' in last ? last.usage : null,
  };
}

function textOf(item: Item): string {
  return item.type === 'message' ? item.content.map((part) => ('text' in part ? part.text : '')).join('') : '';
}

function isEnding({ type }: ModelEvent): boolean {
  return type === 'completed' || type === 'incomplete' || type === 'failed';
}

function isJson(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
