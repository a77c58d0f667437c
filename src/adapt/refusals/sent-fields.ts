import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { AdaptRules } from '../adapt-rules.ts';

/**
 * The path of a field that a server named by steps from the body on, with a star for each number. Undefined if the
 * request has no such field. Steps that lead nowhere are kinds (`body`, `assistant`), but for the last.
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

/** The same for the way people write it: `messages[3].tool_calls[0].name`, or a bare name, found where it stands. */
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

/** Null is a value: the field is there. */
function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
