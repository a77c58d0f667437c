import fc from 'fast-check';
import { expect } from 'vitest';
import { ModelError } from '../base/errors.ts';
import type { ModelEvent } from '../base/model.ts';
import { DEFAULT_COMPAT, type Frame } from '../base/wire.ts';
import { restoreNames } from './adapt/adapt-frames.ts';
import { adaptRequest } from './adapt/adapt-request.ts';
import { ClientError } from './client-error.ts';
import {
  bodyOf,
  CALLING,
  type ConformanceCase,
  decode,
  framesOf,
  OPTIONS,
  REQUEST,
  SAMPLES,
  saidBy,
  USAGE,
} from './conformance.ts';
import type { PassOptions } from './edge.ts';
import { frameValue, madeFrame } from './frames.ts';
import type { Translator } from './translator.ts';
import type { Wire } from './wire.ts';

/** The promises of a wire's edge: its members agree with the codec. */
export const EDGE_CASES: readonly ConformanceCase[] = [
  {
    name: 'requests come in on a route that ends in the path of the wire',
    check({ path, edge }) {
      const exchanges = edge.routes.filter(({ type }) => type === 'exchange');
      expect(exchanges.map((route) => route.path.endsWith(path))).toContain(true);
      const places = edge.routes.map((route) => `${route.method} ${route.path}`);
      expect(new Set(places).size).toBe(places.length);
    },
  },
  {
    name: 'a request is read as it was encoded',
    check(wire, { anyRequest }) {
      fc.assert(
        fc.property(anyRequest, (request) => {
          const body = bodyOf(wire, request);
          expect(wire.edge.readRequest(body)).toMatchObject({ model: request.model, stream: true });
          expect(typeof wire.edge.hasRareTools(body)).toBe('boolean');
          expect(wire.edge.stored?.previousId(body)).toBe(
            wire.edge.stored && (request.previousResponseId || undefined),
          );
        }),
      );
      expect(wire.edge.hasRareTools(bodyOf(wire, REQUEST))).toBe(false);
    },
  },
  {
    name: 'a request that is edited for a server says the same, under the name of its model',
    check(wire, { anyRequest }) {
      fc.assert(
        fc.property(anyRequest, (request) => {
          const body = bodyOf(wire, request);
          const options = { model: 'other', stream: true, compat: DEFAULT_COMPAT };
          const edited = wire.edge.editRequest(body, options);
          expect(wire.decodeRequest(edited)).toStrictEqual({ ...wire.decodeRequest(body), model: 'other' });
          expect(wire.edge.editRequest(edited, options)).toBe(edited);
          const unsealed = wire.edge.withoutSealed(body);
          expect(wire.edge.withoutSealed(unsealed)).toBe(unsealed);
        }),
      );
    },
  },
  {
    name: 'the end, the failure and the words of a response are seen in its frames',
    check({ edge, ...wire }, { anyResponse }) {
      fc.assert(
        fc.property(fc.oneof(anyResponse, fc.constantFrom(...SAMPLES)), (events) => {
          const kinds = framesOf({ edge, ...wire }, events).map(edge.inspect);
          const isFailed = events.at(-1)?.type === 'failed';
          expect(isFailed ? ['failure', 'end'] : ['end']).toContain(kinds.at(-1));
          expect(kinds.slice(0, -1)).not.toContain('end');
          if (!isFailed) expect(kinds).not.toContain('failure');
        }),
      );
      for (const events of SAMPLES) expect(framesOf({ edge, ...wire }, events).map(edge.inspect)).toContain('speaks');
      expect(edge.inspect({ data: 'no JSON' })).toBe('other');
    },
  },
  {
    name: 'the frames of a healthy response pass as they are',
    check(wire, { anyResponse }) {
      fc.assert(
        fc.property(fc.oneof(anyResponse, fc.constantFrom(...SAMPLES)), (events) => {
          const frames = framesOf(wire, events);
          const { out, translator } = passed(wire, frames);
          expect(decode(wire, out)).toStrictEqual(decode(wire, frames));
          if (events.at(-1)?.type === 'failed') return;
          expect(out.map(({ data }) => data)).toEqual(frames.map(({ data }) => data));
          expect(translator).toMatchObject({ over: true, failure: undefined, usage: usageOf(events) });
        }),
      );
      for (const events of SAMPLES) expect(passed(wire, framesOf(wire, events)).translator.spoke).toBe(true);
    },
  },
  {
    name: 'a client is told of a response that broke off or failed',
    check(wire) {
      for (const events of SAMPLES) {
        const { out, translator } = passed(wire, framesOf(wire, events.slice(0, -1)));
        expect(decode(wire, out).at(-1)?.type).toBe('failed');
        expect(translator).toMatchObject({ over: true, failure: { code: 'stream_broken' } });
        const failed = { type: 'failed', code: 'server_error', message: `Bad key ${SECRET}.` } as const;
        const broken = passed(wire, framesOf(wire, [...events.slice(0, -1), failed]));
        expect(broken.translator.failure?.message).toContain('Bad key [redacted].');
        expect(JSON.stringify(broken.out.map(({ data }) => data))).not.toContain(SECRET);
      }
    },
  },
  {
    name: 'the usage of a whole answer is read',
    check(wire) {
      for (const events of SAMPLES) {
        const body = JSON.parse(JSON.stringify(wire.encodeBody(events, OPTIONS)));
        expect(wire.edge.readUsage(body)).toEqual(USAGE);
      }
    },
  },
  {
    name: 'for clients that take one call the others are left out, of streams and of whole answers',
    check(wire) {
      const keep = wire.edge.firstCallOnly();
      const kept = framesOf(wire, CALLING).flatMap((frame): readonly Frame[] => {
        const value = frameValue(frame);
        if (value === undefined) return [frame];
        const first = keep(value as Record<string, unknown>);
        return first === undefined ? [] : [madeFrame(first, frame.event)];
      });
      const { calls, ...rest } = saidBy(decode(wire, framesOf(wire, CALLING)));
      expect(saidBy(decode(wire, kept))).toEqual({ ...rest, calls: calls.slice(0, 1) });
      const body = JSON.parse(JSON.stringify(wire.encodeBody(CALLING, OPTIONS)));
      expect(JSON.stringify(wire.edge.firstCallOnly()(body))).not.toContain('"c2"');
    },
  },
  {
    name: 'responses get ids of their own, and answers are encoded as requests ask for it',
    check({ edge, ...wire }) {
      const ids = [edge.responseId('0-1'), edge.responseId('0-2')];
      expect(new Set(ids).size).toBe(2);
      const common = { model: 'm', createdAt: 1, includeUsage: false };
      expect(edge.encoding(bodyOf({ edge, ...wire }, REQUEST), common)).toMatchObject(common);
    },
  },
  {
    name: 'an error is an object that holds its sentence',
    check({ edge }) {
      const error = new ClientError('There is no such model.', { status: 404, code: 'model_not_found' });
      expect(JSON.stringify(edge.errorBody(error))).toContain('There is no such model.');
      expect(edge.toldInStream('invalid_request')).toBe(false);
    },
  },
  {
    name: 'tools under other names are called under their own',
    check(wire) {
      const rules = wire.edge.adapt;
      if (rules === undefined) return;
      const [tool] = REQUEST.tools;
      const dotted = { ...tool, name: 'files.look' } as typeof tool;
      const body = bodyOf(wire, { ...REQUEST, tools: dotted ? [dotted] : [] });
      expect(Array.isArray(body[rules.history])).toBe(true);
      const compat = { ...DEFAULT_COMPAT, toolNames: 'plain' as const };
      const { body: adapted, restoreName } = adaptRequest(rules, body, compat);
      expect(wire.decodeRequest(adapted).tools).toMatchObject([{ name: 'files_look' }]);
      const frames = framesOf(wire, CALLING).map(
        restoreNames(rules, (name) => (name === 'look' ? 'files.look' : name)),
      );
      expect(saidBy(decode(wire, frames)).calls).toMatchObject([{ name: 'files.look' }, { name: 'files.look' }]);
      expect(restoreName('files_look')).toBe('files.look');
    },
  },
];

const SECRET = 'sk-0123456789';

const PASS: PassOptions = {
  includeUsage: true,
  store: false,
  responseId: 'r',
  redact: (text) => text.replaceAll(SECRET, '[redacted]'),
  failures: {
    reported: ({ code, message }) =>
      new ModelError(code === 'stream_closed' ? 'stream_broken' : 'server_error', message),
    told: ({ message }) => new ClientError(message, { status: 502, code: 'server_error' }),
  },
};

function passed(
  wire: Wire,
  frames: readonly Frame[],
): { readonly out: readonly Frame[]; readonly translator: Translator } {
  const translator = wire.edge.passThrough(PASS);
  const out: Frame[] = [];
  for (const frame of frames) translator.push(frame, out);
  translator.settle(out);
  if (!translator.over) translator.end(out, undefined);
  return { out, translator };
}

function usageOf(events: readonly ModelEvent[]): unknown {
  const last = events.at(-1);
  return last !== undefined && 'usage' in last ? last.usage : null;
}
