import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { createArgumentRepair } from './create-argument-repair.ts';
import { anyDocument, damagedDocument, piecesOf, sizes } from './fixtures/arbitrary-arguments.ts';
import { repairPieces } from './fixtures/repair-pieces.ts';
import { isJson } from './is-json.ts';

const yesOrNo = fc.boolean();

test('arguments without a fault pass unchanged, however they are cut', () => {
  fc.assert(
    fc.property(anyDocument, sizes, yesOrNo, (document, cuts, known) => {
      const schema = known ? document.schema : undefined;
      expect(repairPieces(piecesOf(document.text, cuts), { schema })).toEqual({
        objects: [document.text],
        repairs: [],
        ids: [],
        reached: 'complete',
        state: 'whole',
      });
    }),
    { numRuns: runs(500) },
  );
});

test('only a comma, part of an escape or part of a number is held back of arguments without a fault', () => {
  fc.assert(
    fc.property(anyDocument, sizes, yesOrNo, (document, cuts, known) => {
      const schema = known ? document.schema : undefined;
      const repair = createArgumentRepair({ schema, htmlEntities: false, onRepair: expect.unreachable });
      let read = '';
      let given = '';
      for (const piece of piecesOf(document.text, cuts)) {
        read += piece;
        for (const { text } of repair.push(piece)) given += text;
        expect(read.startsWith(given)).toBe(true);
        expect(read.slice(given.length)).toMatch(/^(?:,\s*|u[\da-f]{0,3}|[tf]\w*|-?[\d.eE+-]*)$/);
      }
    }),
  );
});

test('damaged arguments have the same objects, repairs and state however they are cut', () => {
  fc.assert(
    fc.property(damagedDocument, sizes, yesOrNo, yesOrNo, yesOrNo, (document, cuts, known, htmlEntities, cut) => {
      const options = { schema: known ? document.schema : undefined, htmlEntities, cut };
      expect(repairPieces(piecesOf(document.text, cuts), options)).toEqual(repairPieces([document.text], options));
    }),
    { numRuns: runs(1000) },
  );
});

test('a second repair changes nothing', () => {
  fc.assert(
    fc.property(damagedDocument, yesOrNo, (document, known) => {
      const schema = known ? document.schema : undefined;
      const { objects, state } = repairPieces([document.text], { schema });
      fc.pre(state === 'whole');
      for (const object of objects) {
        expect(repairPieces([object], { schema })).toMatchObject({ objects: [object], repairs: [], state: 'whole' });
      }
    }),
    { numRuns: runs(1000) },
  );
});

test('arguments that are cut off inside a string are never whole', () => {
  fc.assert(
    fc.property(anyDocument, fc.nat(), yesOrNo, (document, place, known) => {
      const cutOff = document.text.slice(0, place % document.text.length);
      fc.pre(endsInString(cutOff));
      expect(repairPieces([cutOff], { schema: known ? document.schema : undefined }).state).toBe('broken');
    }),
    { numRuns: runs(1000) },
  );
});

test('arguments that are whole although their end was lost have no value that the original lacks', () => {
  fc.assert(
    fc.property(anyDocument, fc.nat(), (document, place) => {
      const cutOff = document.text.slice(0, place % document.text.length);
      const { objects, state } = repairPieces([cutOff]);
      fc.pre(state === 'whole' && cutOff.trim() !== '');
      expect(isPartOf(JSON.parse(objects.join('')), document.value)).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test('brackets are added only where that makes the arguments JSON', () => {
  fc.assert(
    fc.property(damagedDocument, yesOrNo, (document, known) => {
      const { objects, ids, state } = repairPieces([document.text], { schema: known ? document.schema : undefined });
      if (!ids.includes('C7')) return;
      expect(state).toBe('whole');
      expect(() => JSON.parse(objects.at(-1) ?? '')).not.toThrow();
    }),
    { numRuns: runs(1000) },
  );
});

test('complete objects are JSON unless a bare word was left in them', () => {
  fc.assert(
    fc.property(damagedDocument, yesOrNo, (document, known) => {
      const { objects, reached } = repairPieces([document.text], { schema: known ? document.schema : undefined });
      if (reached !== 'complete') return;
      for (const object of objects) if (bareWords(object).every(isJson)) expect(isJson(object)).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});

test('any arguments and any schema are repaired without a throw', () => {
  const strange = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'{}[]",:\\un1tT&;# ') }),
  );
  const schemas = fc.oneof(fc.constant({}), fc.object({ key: fc.constantFrom(...KEYWORDS), maxDepth: 3 }));
  fc.assert(
    fc.property(strange, schemas, sizes, yesOrNo, (text, schema, cuts, htmlEntities) => {
      const options = { schema, htmlEntities };
      expect(repairPieces(piecesOf(text, cuts), options)).toEqual(repairPieces([text], options));
    }),
    { numRuns: runs(1000) },
  );
});

const KEYWORDS = ['type', 'properties', 'items', 'anyOf', 'allOf', 'enum', 'required', '$ref', 'additionalProperties'];

function endsInString(text: string): boolean {
  return withoutStrings(text).includes('"');
}

/** Matches everything besides strings, keys with their colon, and punctuation. */
function bareWords(text: string): readonly string[] {
  const rest = text.replaceAll(/"(?:[^"\\]|\\.)*"\s*:?/gs, '');
  return rest.split(/[\s{}[\],]+/).filter((word) => word !== '');
}

function withoutStrings(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '');
}

/**
 * Reports whether a value holds only values that another one holds in the same places. A number may have lost its end.
 */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part === 'number') return typeof whole === 'number';
  if (typeof part !== 'object' || part === null) return part === whole;
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([name, value]) => {
    const other = Object.getOwnPropertyDescriptor(whole, name);
    return other !== undefined && isPartOf(value, other.value);
  });
}
