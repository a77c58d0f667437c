import { isRecord } from '../../src/base/json-schema.ts';

/** What is wrong with a file of the corpus, one line for each fault. */
export function formatFaults(fileName: string, value: unknown): string[] {
  const faults = checkQuirk(value, fileName);
  if (!isRecord(value)) return faults;
  if (fileName !== `${String(value.id)}.json`) faults.push(`${fileName}: its id is ${String(value.id)}`);
  const cases = Array.isArray(value.cases) ? value.cases.filter(isRecord) : [];
  if (cases.length === 0 && value.reason === undefined) faults.push(`${fileName}: no cases and no reason why`);
  const names = cases.map(({ name }) => name);
  faults.push(...names.filter((name, i) => names.indexOf(name) < i).map((name) => `${fileName}: two cases ${name}`));
  return [...faults, ...cases.flatMap((kase) => caseFaults(kase, `${fileName} ${String(kase.name)}`))];
}

type Check = (value: unknown, at: string) => string[];

const say = (holds: boolean, at: string, what: string): string[] => (holds ? [] : [`${at}: ${what}`]);
const anything: Check = () => [];
const text: Check = (value, at) => say(typeof value === 'string', at, 'not a text');
const words: Check = (value, at) => say(typeof value === 'string' && value.trim() !== '', at, 'no words');
const flag: Check = (value, at) => say(typeof value === 'boolean', at, 'neither true nor false');
const count: Check = (value, at) => say(Number.isInteger(value), at, 'not a whole number');
const oneOf =
  (...known: unknown[]): Check =>
  (value, at) =>
    say(known.includes(value), at, `not one of ${known.join(', ')}`);
const matching =
  (pattern: RegExp): Check =>
  (value, at) =>
    say(typeof value === 'string' && pattern.test(value), at, `does not match ${pattern}`);
const either =
  (a: Check, b: Check): Check =>
  (value, at) =>
    a(value, at).length === 0 ? [] : b(value, at);
const list =
  (entry: Check, least = 0): Check =>
  (value, at) =>
    Array.isArray(value) && value.length >= least
      ? value.flatMap((one, i) => entry(one, `${at}[${i}]`))
      : [`${at}: not a list of ${least} or more`];

/** An object with these keys and no others; those that end in a question mark may be missing. */
function object(shape: Readonly<Record<string, Check>>): Check {
  const checks = new Map(Object.entries(shape).map(([key, check]) => [key.replace('?', ''), check]));
  return (value, at) => {
    if (!isRecord(value)) return [`${at}: not an object`];
    const missing = Object.keys(shape).filter((key) => !key.endsWith('?') && !(key in value));
    return [
      ...missing.map((key) => `${at}: ${key} is missing`),
      ...Object.entries(value).flatMap(([key, field]) => {
        const check = checks.get(key);
        return check === undefined ? [`${at}: unknown key ${key}`] : check(field, `${at}.${key}`);
      }),
    ];
  };
}

const regex: Check = (value, at) => {
  try {
    return say(typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp, at, 'not a pattern');
  } catch {
    return [`${at}: not a pattern`];
  }
};

const tool = either(
  object({ type: oneOf('function'), name: words, parameters: anything }),
  object({ type: oneOf('custom'), name: words }),
);

const sortedIds: Check = (value, at) => [
  ...list(matching(/^[A-H]\d{1,2}$/))(value, at),
  ...say(
    Array.isArray(value) && value.every((id, i) => i === 0 || String(value[i - 1]) < String(id)),
    at,
    'not sorted, or something twice',
  ),
];

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

const pointer = matching(/^\//);

const expectedField = object({
  path: pointer,
  'is?': anything,
  'matches?': regex,
  'absent?': oneOf(true),
  'same?': pointer,
  'differs?': pointer,
});

const setting = oneOf('thinking', 'text_calls', 'html_entities', 'call_ids', 'send_reasoning', 'parallel_tool_calls');

const checkQuirk = object({
  id: matching(/^[A-F]\d{1,2}$/),
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
      wire: oneOf('chat', 'responses'),
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

/** What the keys of a case say of each other. */
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
