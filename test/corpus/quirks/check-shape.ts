import { isRecord } from '../../../src/base/json-schema.ts';

/** A check of the value at a path, with one line for each fault. */
export type Check = (value: unknown, at: string) => string[];

/** Returns a fault unless a condition holds. */
export const say = (holds: boolean, at: string, what: string): string[] => (holds ? [] : [`${at}: ${what}`]);
export const anything: Check = () => [];
export const text: Check = (value, at) => say(typeof value === 'string', at, 'not a text');
export const words: Check = (value, at) => say(typeof value === 'string' && value.trim() !== '', at, 'no words');
export const flag: Check = (value, at) => say(typeof value === 'boolean', at, 'neither true nor false');
export const count: Check = (value, at) => say(Number.isInteger(value), at, 'not a whole number');
export const oneOf =
  (...known: unknown[]): Check =>
  (value, at) =>
    say(known.includes(value), at, `not one of ${known.join(', ')}`);
export const matching =
  (pattern: RegExp): Check =>
  (value, at) =>
    say(typeof value === 'string' && pattern.test(value), at, `does not match ${pattern}`);
export const either =
  (a: Check, b: Check): Check =>
  (value, at) =>
    a(value, at).length === 0 ? [] : b(value, at);
export const list =
  (entry: Check, least = 0): Check =>
  (value, at) =>
    Array.isArray(value) && value.length >= least
      ? value.flatMap((one, i) => entry(one, `${at}[${i}]`))
      : [`${at}: not a list of ${least} or more`];

/** Returns a check for an object with these keys and no others. Keys that end in a question mark are optional. */
export function object(shape: Readonly<Record<string, Check>>): Check {
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

export const regex: Check = (value, at) => {
  try {
    return say(typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp, at, 'not a pattern');
  } catch {
    return [`${at}: not a pattern`];
  }
};

/** A JSON pointer. */
export const pointer = matching(/^\//);

/** An expected field of a request or a response. */
export const expectedField = object({
  path: pointer,
  'is?': anything,
  'matches?': regex,
  'absent?': oneOf(true),
  'same?': pointer,
  'differs?': pointer,
});

/** Checks that ids of quirks are sorted and unique. */
export const sortedIds: Check = (value, at) => [
  ...list(matching(/^[A-I]\d{1,2}$/))(value, at),
  ...say(
    Array.isArray(value) && value.every((id, i) => i === 0 || String(value[i - 1]) < String(id)),
    at,
    'not sorted, or something twice',
  ),
];

/** Returns the faults of a file of cases: its name, its cases, and the texts of each. */
export function fileFaults(
  fileName: string,
  value: unknown,
  {
    check,
    caseFaults,
  }: { check: Check; caseFaults: (kase: Readonly<Record<string, unknown>>, at: string) => string[] },
): string[] {
  const faults = check(value, fileName);
  if (!isRecord(value)) return faults;
  if (fileName !== `${String(value.id)}.json`) faults.push(`${fileName}: its id is ${String(value.id)}`);
  const cases = Array.isArray(value.cases) ? value.cases.filter(isRecord) : [];
  if (cases.length === 0 && value.reason === undefined) faults.push(`${fileName}: no cases and no reason why`);
  const names = cases.map(({ name }) => name);
  faults.push(...names.filter((name, i) => names.indexOf(name) < i).map((name) => `${fileName}: two cases ${name}`));
  return [...faults, ...cases.flatMap((kase) => caseFaults(kase, `${fileName} ${String(kase.name)}`))];
}
