import { isRecord } from '../../base/json-schema.ts';
import { editField, mapList, withoutFields } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { AdaptRules } from '../adapt-rules.ts';
import type { AdaptStep } from './step.ts';

/** G3: fields that the server does not know are dropped. */
export const dropFields: AdaptStep = {
  isOn: ({ dropFields }) => dropFields.length > 0,
  apply(body, { rules, compat, report }) {
    let adapted = body;
    for (const path of compat.dropFields) {
      let value: unknown;
      const rest = dropField(rules, adapted, path, (dropped) => {
        value ??= dropped;
      });
      if (rest !== adapted) report('G3', { [path]: value }, '');
      adapted = rest;
    }
    return adapted;
  },
};

/** Returns the body without a field; the same body if the field is absent or needed. */
export function dropField(
  rules: AdaptRules,
  body: Fields,
  path: string,
  onDrop: (value: unknown) => void = () => {},
): Fields {
  const segments = segmentsOf(path, rules);
  const name = segments.join('.');
  if (segments.at(-1) === '*' || rules.needed.has(name)) return body;
  const mayGo = rules.neededUnlessEmpty.has(name) ? isEmpty : () => true;
  const rest = withoutPath(body, segments, (value) => {
    const goes = mayGo(value);
    if (goes) onDrop(value);
    return goes;
  }) as Fields;
  // Without tools, there is nothing to choose.
  return name === 'tools' && rest !== body ? withoutFields(rest, ['tool_choice', 'parallel_tool_calls']) : rest;
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** Returns the steps of a path from the body. A number stands for every entry of a list, as the star does. */
function segmentsOf(path: string, { shorthands }: AdaptRules): readonly string[] {
  const [first = '', ...rest] = path.split('.').map((segment) => (/^\d+$/.test(segment) ? '*' : segment));
  return [...(Object.hasOwn(shorthands, first) ? (shorthands[first] ?? []) : [first]), ...rest];
}

function withoutPath(value: unknown, path: readonly string[], goes: (value: unknown) => boolean): unknown {
  const [name = '', ...rest] = path;
  if (name === '*') return mapList(value, (entry) => withoutPath(entry, rest, goes));
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  if (rest.length > 0) return editField(value, name, (inner) => withoutPath(inner, rest, goes));
  return goes(value[name]) ? withoutFields(value, [name]) : value;
}
