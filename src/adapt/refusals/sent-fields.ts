import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { AdaptRules } from '../adapt-rules.ts';

/**
 * Returns the path of a field that a server named by steps from the body, with a star for each number. Undefined if the
 * request has no such field. A step that does not exist, other than the last, names a kind (`body`, `assistant`) and is
 * skipped.
 */
export function sentPath(sent: Fields, steps: readonly string[]): string | undefined {
  const path: string[] = [];
  let value: unknown = sent;
  for (const [index, step] of steps.entries()) {
    const next: unknown = stepInto(value, step);
    if (next !== undefined) {
      path.push(Array.isArray(value) ? '*' : step);
      value = next;
    } else if (index === steps.length - 1) return undefined;
  }
  return path.length === 0 || path.at(-1) === '*' ? undefined : path.join('.');
}

/**
 * Returns the path of a field that is written as text: `messages[3].tool_calls[0].name`, or a bare name, which is
 * searched for in the known places.
 */
export function sentField({ places }: AdaptRules, sent: Fields, name: string): string | undefined {
  const steps = name.split(/[.[\]]+/).filter((step) => step !== '');
  const [only] = steps;
  if (only === undefined || steps.length > MAX_STEPS) return undefined;
  return (
    sentPath(sent, steps) ??
    (steps.length === 1 ? places.map((place) => inPlace(sent, place, only)).find(Boolean) : undefined)
  );
}

const MAX_STEPS = 12;

function inPlace(sent: Fields, place: readonly string[], name: string): string | undefined {
  const isThere = valuesAt(sent, place).some((value) => isRecord(value) && Object.hasOwn(value, name));
  return isThere ? [...place, name].join('.') : undefined;
}

function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  return path.reduce<readonly unknown[]>(
    (values, step) =>
      values.flatMap((inner): readonly unknown[] => {
        if (step === '*') return Array.isArray(inner) ? inner : [];
        return isRecord(inner) && Object.hasOwn(inner, step) ? [inner[step]] : [];
      }),
    [value],
  );
}

/** Returns the value of a step. Null is a value: the field is present. */
function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
