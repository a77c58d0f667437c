import { OPEN_LIST, OPEN_OBJECT } from '../json-characters.ts';
import type { RepairReport } from '../report.ts';
import { skipSpace } from '../white-space.ts';
import { literalIn } from './bare-word.ts';
import { ANY, LIST, OBJECT, type SchemaPlace, STRING } from './schema-place.ts';

/** Reports whether the schema rules out a string. */
export function rulesOutText({ types }: SchemaPlace): boolean {
  return types !== ANY && (types & STRING) === 0;
}

/**
 * Returns the JSON that a string literal stands for where no string may be: a number or a literal (C10), a list or an
 * object (C3). Returns the literal itself if it stands for nothing that the schema allows.
 */
export function recastText(literal: string, { place, repair, report }: RecastOptions): string {
  const text: string = JSON.parse(literal);
  const scalar = literalIn(text, place.types);
  if (scalar !== undefined) {
    report('C10', literal, scalar);
    return scalar;
  }
  if (!(typeBegunBy(text) & place.types)) return literal;
  const repairs: Parameters<RepairReport>[] = [];
  const value = repair(text, (...repair) => repairs.push(repair));
  if (value === undefined) return literal;
  report('C3', literal, value);
  for (const repair of repairs) report(...repair);
  return value;
}

export interface RecastOptions {
  readonly place: SchemaPlace;
  readonly report: RepairReport;
  /** Repairs a whole text as a value of this place; undefined if it is not one. */
  readonly repair: (text: string, report: RepairReport) => string | undefined;
}

function typeBegunBy(text: string): number {
  const first = text.charCodeAt(skipSpace(text, 0));
  if (first === OPEN_LIST) return LIST;
  return first === OPEN_OBJECT ? OBJECT : 0;
}
