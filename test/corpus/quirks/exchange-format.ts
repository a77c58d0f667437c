import { isRecord } from '../../../src/base/json-schema.ts';
import {
  anything,
  type Check,
  count,
  either,
  expectedField,
  fileFaults,
  list,
  matching,
  object,
  oneOf,
  pointer,
  regex,
  say,
  sortedIds,
  text,
  words,
} from './check-shape.ts';

/** Returns the faults of a file of sections G and H, one line each. */
export function exchangeFaults(fileName: string, value: unknown): string[] {
  return fileFaults(fileName, value, { check: checkQuirk, caseFaults });
}

/** Returns contradictions between the keys of a case. */
function caseFaults(kase: Readonly<Record<string, unknown>>, at: string): string[] {
  const answers = ['answer', 'frames', 'body'].filter((key) => key in kase).length;
  return [
    ...say(answers <= 1, at, 'more than one answer'),
    ...say(answers === 0 || isRecord(kase.expect), at, 'an answer without `expect`'),
    ...say(kase.compat === undefined || kase.refuses !== undefined, at, 'settings without a refusal'),
    ...say(kase.expect_request !== undefined || kase.expect !== undefined, at, 'nothing is expected'),
  ];
}

const wire = oneOf('chat', 'responses');
const record: Check = (value, at) => say(isRecord(value), at, 'not an object');

const condition = either(
  object({
    any: pointer,
    'is?': anything,
    'not?': list(anything, 1),
    'not_matches?': regex,
    'like?': record,
    'says?': words,
    'has?': list(words, 1),
    'more_than?': count,
    'after_first?': oneOf(true),
  }),
  either(object({ repeats: pointer }), object({ tool_order: oneOf(true) })),
);

const usage = object({ input: count, output: count });

const plainAnswer = object({
  'text?': words,
  'reasoning?': words,
  'calls?': list(object({ id: words, name: either(words, object({ at: pointer })), arguments: text }), 1),
  'incomplete?': words,
  'usage?': usage,
});

const expected = object({
  text,
  'reasoning?': text,
  calls: list(object({ name: words, 'arguments?': anything, 'input?': text })),
  'call_ids?': list(words),
  finish: oneOf('calls', 'stop', 'cut', 'failed'),
  'error?': regex,
  'status?': count,
  'repairs?': sortedIds,
  'usage?': usage,
});

const checkQuirk = object({
  id: matching(/^[GH]\d{1,2}$/),
  title: words,
  servers: list(words, 1),
  sources: list(matching(/^https:\/\/\S+$/), 1),
  consequence: words,
  repair: words,
  'reason?': words,
  cases: list(
    object({
      name: matching(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
      says: words,
      client: wire,
      server: wire,
      'model?': words,
      'compat?': record,
      'refuses?': list(object({ when: condition, status: count, body: record }), 1),
      request: record,
      'expect_request?': list(expectedField),
      'adaptations?': sortedIds,
      'answer?': plainAnswer,
      'frames?': list(either(text, object({ event: words, data: text })), 1),
      'body?': text,
      'expect?': expected,
      'expect_response?': list(expectedField, 1),
      'next?': object({ 'previous?': oneOf(true), 'input?': anything, expect_request: list(expectedField, 1) }),
    }),
  ),
});
