import { expect } from 'vitest';
import { isRecord } from '../../../src/base/json-schema.ts';
import type { ExpectedField } from './read-corpus.mjs';

/** Throws unless a request or a response has the expected field. */
export function expectField(request: unknown, field: ExpectedField): void {
  const value = at(request, field.path);
  const shown = `${field.path} of ${JSON.stringify(request)}`;
  if ('is' in field) expect(value, shown).toEqual(field.is);
  if (field.matches !== undefined) expect(value, shown).toMatch(new RegExp(field.matches, 'u'));
  if (field.absent) expect(value, shown).toBeUndefined();
  if (field.same !== undefined) expect(value, shown).toEqual(at(request, field.same));
  if (field.differs !== undefined) expect(value, shown).not.toEqual(at(request, field.differs));
}

/** Returns the value at a JSON pointer. */
export function at(value: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((inner: unknown, key) => {
      if (Array.isArray(inner)) return inner[Number(key)];
      return isRecord(inner) ? inner[key] : undefined;
    }, value);
}
