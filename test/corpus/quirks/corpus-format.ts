import { isRecord } from '../../../src/base/json-schema.ts';
import {
  anything,
  count,
  either,
  expectedField,
  fileFaults,
  flag,
  list,
  matching,
  object,
  oneOf,
  regex,
  say,
  sortedIds,
  text,
  words,
} from './check-shape.ts';

/** Returns the faults of a file of the corpus, one line each. */
export function formatFaults(fileName: string, value: unknown): string[] {
  return fileFaults(fileName, value, { check: checkQuirk, caseFaults });
}

const tool = either(
  object({ type: oneOf('function'), name: words, parameters: anything }),
  object({ type: oneOf('custom'), name: words }),
);

const expected = object({
  text,
  'reasoning?': text,
  calls: list(object({ name: words, 'arguments?': anything, 'input?': text })),
  'call_ids?': list(words),
  finish: oneOf('calls', 'stop', 'cut', 'failed'),
  'error?': regex,
  repairs: sortedIds,
  'usage?': object({ input: count, output: count }),
});

const setting = oneOf('thinking', 'text_calls', 'html_entities', 'call_ids', 'send_reasoning', 'parallel_tool_calls');

const checkQuirk = object({
  id: matching(/^[A-FI]\d{1,2}$/),
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
      wire: oneOf('chat', 'responses', 'messages', 'ollama'),
      'request?': object({ 'tools?': list(tool), 'call_ids?': list(words), 'json_answer?': flag }),
      'compat?': (value, at) => Object.keys(isRecord(value) ? value : {}).flatMap((key) => setting(key, at)),
      'status?': count,
      'content_type?': words,
      'history?': list(anything, 1),
      'frames?': list(either(text, object({ event: words, data: text })), 1),
      'body?': text,
      'body_base64?': matching(/^[A-Za-z0-9+/]+=*$/),
      'expect?': expected,
      'expect_request?': list(expectedField, 1),
    }),
  ),
});

/** Returns contradictions between the keys of a case. */
function caseFaults(kase: Readonly<Record<string, unknown>>, at: string): string[] {
  const bodies = ['frames', 'body', 'body_base64'].filter((key) => key in kase).length;
  const { expect, expect_request } = kase;
  const { finish, error, calls } = isRecord(expect) ? expect : {};
  return [
    ...say(bodies <= 1, at, 'more than one body'),
    ...say(bodies === 0 || isRecord(expect), at, 'a body without `expect`'),
    ...say(bodies === 1 || !isRecord(expect), at, '`expect` without a body'),
    ...say(bodies === 1 || expect_request !== undefined, at, 'nothing is expected'),
    ...say((finish === 'failed') === (error !== undefined), at, 'an error belongs to a failure'),
    ...say(finish !== 'calls' || (Array.isArray(calls) && calls.length > 0), at, 'finishes with calls and has none'),
  ];
}
