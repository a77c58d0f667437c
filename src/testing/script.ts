import { inspect } from 'node:util';
import type { ScriptedAnswer } from './fault.ts';
import { outputsOf, typedTextsOf } from './read-request.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { type ReplyOptions, type ReplyPart, reply } from './reply.ts';

/**
 * Answers of a scripted model. A list has answers in the order of the requests, and answers for requests with a certain
 * content, made with `when`. A request gets the first `when` that fits and is not used up, otherwise the next answer in
 * order.
 */
export type Script = readonly (ScriptedAnswer | WhenAnswer)[] | ScriptFunction;

/** Function that returns the answer to the n-th request, from 1. Undefined for a request that was not expected. */
export type ScriptFunction = (
  request: RecordedRequest,
  n: number,
) => ScriptedAnswer | undefined | Promise<ScriptedAnswer | undefined>;

/**
 * Test of a request. A string or a pattern fits when it is found in a text that the user wrote or in the output of a
 * call, anywhere in the history that the request carries.
 */
export type RequestMatch = string | RegExp | ((request: RecordedRequest) => boolean);

/** An answer for requests that fit. It is used once, unless it says otherwise. */
export interface WhenAnswer {
  readonly kind: 'when';
  readonly match: RequestMatch;
  readonly answer: ScriptedAnswer;
  /** Number of requests that get this answer. */
  readonly uses: number;
  /** Returns the same answer for this number of requests. */
  times(uses: number): WhenAnswer;
  /** Returns the same answer for any number of requests, including none. */
  always(): WhenAnswer;
}

/** The first half of `when(match).reply(…)`. */
export interface When {
  /** Returns a reply for requests that fit. The arguments are those of `reply`. */
  reply(...args: readonly ReplyPart[] | readonly [...ReplyPart[], ReplyOptions]): WhenAnswer;
  /** Returns any answer for requests that fit, such as a fault. */
  answer(answer: ScriptedAnswer): WhenAnswer;
}

/**
 * Begins an answer for requests with a certain content, which may come in any order.
 *
 * @example
 * const model = await startScriptedModel([
 *   when(/ticket 7/).reply(say('Closed.')),
 *   when('weather').reply(say('Sunny.')).always(),
 * ]);
 */
export function when(match: RequestMatch): When {
  const answer = (given: ScriptedAnswer) => whenAnswer({ kind: 'when', match, answer: given, uses: 1 });
  return { reply: (...args) => answer(reply(...args)), answer };
}

function whenAnswer(fields: Pick<WhenAnswer, 'kind' | 'match' | 'answer' | 'uses'>): WhenAnswer {
  return {
    ...fields,
    times(uses) {
      if (!Number.isInteger(uses) || uses < 1)
        throw new RangeError(`An answer is used at least once, not ${uses} times.`);
      return whenAnswer({ ...fields, uses });
    },
    always: () => whenAnswer({ ...fields, uses: Number.POSITIVE_INFINITY }),
  };
}

/** Reads a script from its beginning. */
export interface ScriptReader {
  /** Returns the answer to a request, or a sentence about the answers that were tried. */
  answerTo(request: RecordedRequest, n: number): Promise<ScriptedAnswer | string>;
  /** Returns a name for each answer of a list that was not asked for often enough. */
  unused(): string[];
}

export function createScriptReader(script: Script): ScriptReader {
  return typeof script === 'function' ? readFunction(script) : readList(script);
}

function readFunction(script: ScriptFunction): ScriptReader {
  return {
    answerTo: async (request, n) => (await script(request, n)) ?? `The script has no answer for request ${n}.`,
    unused: () => [],
  };
}

function readList(script: Exclude<Script, ScriptFunction>): ScriptReader {
  const entries = script.map((entry, index) => ({
    ...(entry.kind === 'when' ? entry : { answer: entry, match: undefined, uses: 1 }),
    index,
    used: 0,
  }));
  const inOrder = entries.filter(({ match }) => match === undefined);
  const byContent = entries.filter(({ match }) => match !== undefined);
  return {
    async answerTo(request, n) {
      const found =
        byContent.find(({ match, used, uses }) => match !== undefined && used < uses && fits(match, request)) ??
        inOrder.find(({ used }) => used === 0);
      if (found === undefined) return noAnswer(n, inOrder.length, byContent);
      found.used++;
      return found.answer;
    },
    unused: () =>
      entries.flatMap(({ match, used, uses, index }) => {
        if (used >= (uses === Number.POSITIVE_INFINITY ? 0 : uses)) return [];
        return match === undefined ? [`answer ${index + 1}`] : [`${nameOf(match)} (used ${used} of ${uses} times)`];
      }),
  };
}

interface Tried {
  readonly match?: RequestMatch | undefined;
  readonly used: number;
  readonly uses: number;
}

function noAnswer(n: number, inOrder: number, byContent: readonly Tried[]): string {
  const text = `The script has no answer for request ${n}.`;
  if (byContent.length === 0) return text;
  const tried = byContent.map(({ match, used, uses }) =>
    match === undefined ? '' : `${nameOf(match)} ${used < uses ? 'does not fit' : 'is used up'}`,
  );
  return `${text} Tried: ${tried.join(', ')}${inOrder === 0 ? '' : `; the answers in order are used up`}.`;
}

function nameOf(match: RequestMatch): string {
  const shown = typeof match === 'function' ? match.name || 'a function' : inspect(match);
  return `when(${shown})`;
}

function fits(match: RequestMatch, request: RecordedRequest): boolean {
  if (typeof match === 'function') return match(request);
  const texts = [...typedTextsOf(request), ...outputsOf(request).map(({ text }) => text)];
  // search() ignores the position that a pattern with the flag g has reached.
  return texts.some((text) => (typeof match === 'string' ? text.includes(match) : text.search(match) >= 0));
}
