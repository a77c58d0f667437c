import { isRecord } from '../../../base/json-schema.ts';
import { editField, mapList, withoutFields } from '../../edit-fields.ts';
import type { Fields } from '../../request-fields.ts';
import type { Step } from './step.ts';

/** G3: fields that the server does not know are left out. */
export const dropFields: Step = {
  isOn: ({ dropFields }) => dropFields.length > 0,
  apply(body, { compat, report }) {
    let adapted = body;
    for (const path of compat.dropFields) {
      let value: unknown;
      const rest = dropField(adapted, path, (dropped) => {
        value ??= dropped;
      });
      if (rest !== adapted) report('G3', { [path]: value }, '');
      adapted = rest;
    }
    return adapted;
  },
};

/** The body without a field; the same body where it has no such field, or cannot be without it. */
export function dropField(body: Fields, path: string, onDrop: (value: unknown) => void = () => {}): Fields {
  const segments = segmentsOf(path);
  const name = segments.join('.');
  if (segments.at(-1) === '*' || NEVER.has(name)) return body;
  const mayGo = WHEN_EMPTY.has(name) ? isEmpty : () => true;
  const rest = withoutPath(body, segments, (value) => {
    const goes = mayGo(value);
    if (goes) onDrop(value);
    return goes;
  }) as Fields;
  // Without tools there is nothing to choose.
  return name === 'tools' && rest !== body ? withoutFields(rest, ['tool_choice', 'parallel_tool_calls']) : rest;
}

/** What a request cannot be without, or what its meaning hangs on. */
const NEVER: ReadonlySet<string> = new Set([
  ...['', 'model', 'messages', 'input', 'stream'],
  ...['role', 'content'].map((name) => `messages.*.${name}`),
  ...['id', 'type', 'function', 'custom'].map((name) => `messages.*.tool_calls.*.${name}`),
  ...['name', 'arguments'].map((name) => `messages.*.tool_calls.*.function.${name}`),
  ...['name', 'input'].map((name) => `messages.*.tool_calls.*.custom.${name}`),
  ...'type role content call_id name arguments input output action'.split(' ').map((name) => `input.*.${name}`),
  ...['type', 'name', 'parameters', 'function', 'custom'].map((name) => `tools.*.${name}`),
  ...['name', 'parameters'].map((name) => `tools.*.function.${name}`),
]);

const WHEN_EMPTY: ReadonlySet<string> = new Set(['tools', 'messages.*.tool_calls', 'messages.*.tool_call_id']);

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The steps of a path, from the body on. A number stands for every entry of a list, as the star does. */
function segmentsOf(path: string): readonly string[] {
  const segments = path.split('.').map((segment) => (/^\d+$/.test(segment) ? '*' : segment));
  return segments[0] === 'tool_calls' ? ['messages', '*', ...segments] : segments;
}

function withoutPath(value: unknown, path: readonly string[], goes: (value: unknown) => boolean): unknown {
  const [name = '', ...rest] = path;
  if (name === '*') return mapList(value, (entry) => withoutPath(entry, rest, goes));
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value;
  if (rest.length > 0) return editField(value, name, (inner) => withoutPath(inner, rest, goes));
  return goes(value[name]) ? withoutFields(value, [name]) : value;
}
