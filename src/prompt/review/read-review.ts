import { isRecord } from '../../base/json-schema.ts';
import { jsonObjects } from './json-objects.ts';

/** A model's review, under the names that the model was asked to use. A missing or wrong field is null. */
export interface Review {
  readonly findings: readonly ReviewFinding[];
  readonly overall_correctness: 'patch is correct' | 'patch is incorrect' | null;
  readonly overall_explanation: string;
  readonly overall_confidence_score: number | null;
}

export interface ReviewFinding {
  readonly title: string;
  readonly body: string;
  readonly confidence_score: number | null;
  readonly priority: 0 | 1 | 2 | 3 | null;
  readonly code_location: CodeLocation | null;
}

export interface CodeLocation {
  readonly absolute_file_path: string;
  readonly line_range: { readonly start: number; readonly end: number } | null;
}

/** Finds the review in a model's answer, with any text around it. Null: there is no review. Never throws. */
export function readReview(answer: string): Review | null {
  for (const object of jsonObjects(answer)) {
    if (Array.isArray(object.findings) || typeof object.overall_explanation === 'string') return toReview(object);
  }
  return null;
}

function toReview(object: Record<string, unknown>): Review {
  const findings: unknown[] = Array.isArray(object.findings) ? object.findings : [];
  return {
    findings: findings.flatMap((value) => toFinding(value) ?? []),
    overall_correctness: oneOf(['patch is correct', 'patch is incorrect'], object.overall_correctness),
    overall_explanation: textOf(object.overall_explanation),
    overall_confidence_score: numberOf(object.overall_confidence_score),
  };
}

function toFinding(value: unknown): ReviewFinding | undefined {
  if (!isRecord(value)) return undefined;
  const title = textOf(value.title);
  const body = textOf(value.body);
  if (title.trim() === '' && body.trim() === '') return undefined;
  return {
    title,
    body,
    confidence_score: numberOf(value.confidence_score),
    priority: oneOf([0, 1, 2, 3], value.priority),
    code_location: toLocation(value.code_location),
  };
}

function toLocation(value: unknown): CodeLocation | null {
  if (!isRecord(value) || textOf(value.absolute_file_path).trim() === '') return null;
  return { absolute_file_path: textOf(value.absolute_file_path), line_range: toLines(value.line_range) };
}

function toLines(value: unknown): CodeLocation['line_range'] {
  if (!isRecord(value)) return null;
  const start = numberOf(value.start);
  return start === null ? null : { start, end: numberOf(value.end) ?? start };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

// JSON has numbers that are infinite in JavaScript.
const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

function oneOf<const T>(allowed: readonly T[], value: unknown): T | null {
  return allowed.find((one) => one === value) ?? null;
}
