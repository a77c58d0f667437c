import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../src/base/json-schema.ts';
import type { Condition, Refusal } from './read-exchanges.mjs';

/** Returns the rule under which a server refuses a request, or undefined. */
export function refusalOf(rules: readonly Refusal[], body: unknown): Refusal | undefined {
  return rules.find(({ when }) => holds(when, body));
}

function holds(condition: Condition, body: unknown): boolean {
  if ('tool_order' in condition) return isOutOfOrder(body);
  if ('repeats' in condition) {
    const values = valuesAt(body, condition.repeats);
    return values.some((value, i) => i > 0 && value !== 'tool' && value === values[i - 1]);
  }
  const values = valuesAt(body, condition.any).slice(condition.after_first ? 1 : 0);
  return values.some((value) => isMeant(condition, value));
}

function isMeant(condition: Extract<Condition, { any: string }>, value: unknown): boolean {
  const { not, not_matches, like, says, has, more_than } = condition;
  const tests = [
    !('is' in condition) || isDeepStrictEqual(value, condition.is),
    not === undefined || !not.includes(value),
    not_matches === undefined || !new RegExp(not_matches, 'u').test(String(value)),
    like === undefined || (isRecord(value) && Object.keys(like).every((key) => isSame(value, like, key))),
    says === undefined || JSON.stringify(value).includes(says),
    has === undefined || (isRecord(value) && has.every((key) => key in value)),
    more_than === undefined || (Array.isArray(value) && value.length > more_than),
  ];
  return tests.every(Boolean);
}

function isSame(value: object, like: object, key: string): boolean {
  const of = (record: object): unknown => Object.entries(record).find(([name]) => name === key)?.[1];
  return key in value && isDeepStrictEqual(of(value), of(like));
}

/** Returns all values at a path. */
function valuesAt(value: unknown, place: string): readonly unknown[] {
  return place
    .slice(1)
    .split('/')
    .reduce((found: readonly unknown[], step) => found.flatMap((one) => below(one, step)), [value]);
}

function below(value: unknown, step: string): readonly unknown[] {
  if (step === '**') return [value, ...inner(value).flatMap((one) => below(one, step))];
  if (step === '*') return inner(value);
  if (Array.isArray(value)) return value.slice(Number(step), Number(step) + 1);
  return isRecord(value) && step in value ? [value[step]] : [];
}

function inner(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** Reports whether a call of a chat request has no result right after it, or a result no call before it. */
function isOutOfOrder(body: unknown): boolean {
  const messages = isRecord(body) && Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  let waiting: unknown[] = [];
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === 'tool') {
      if (!waiting.includes(tool_call_id)) return true;
      waiting = waiting.filter((id) => id !== tool_call_id);
    } else {
      if (waiting.length > 0) return true;
      waiting = Array.isArray(tool_calls) ? tool_calls.map((call: { id: unknown }) => call.id) : [];
    }
  }
  return waiting.length > 0;
}
