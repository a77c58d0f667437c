import type { Sampling } from '../../base/model.ts';
import { type FieldReader, type Fields, listOf, number, optional, string, wrong } from './request-fields.ts';

type Setting = keyof Sampling;

/** The field names of a wire, by setting. Of several names, the first present one is read and the last is written. */
export type SamplingNames = { readonly [S in Setting]?: readonly string[] };

/** Reads the sampling settings of a client's request. Returns an empty object if there are none. */
export function readSampling(body: Fields, names: SamplingNames): { readonly sampling?: Sampling } {
  let sampling: Partial<Record<Setting, unknown>> | undefined;
  for (const setting of SETTINGS) {
    for (const field of names[setting] ?? NO_NAMES) {
      const value = optional<unknown>(body[field], field, READERS[setting]);
      if (value === undefined) continue;
      sampling ??= {};
      sampling[setting] = value;
      break;
    }
  }
  return sampling === undefined ? NOTHING : { sampling: sampling as Sampling };
}

const NO_NAMES: readonly string[] = [];
const NOTHING = {};

/**
 * Returns the sampling settings as JSON texts, by the field names of the wire. Settings without a name are left out.
 */
export function writeSampling(sampling: Sampling | undefined, names: SamplingNames): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  if (sampling === undefined) return texts;
  for (const setting of SETTINGS) {
    const field = names[setting]?.at(-1);
    const value = sampling[setting];
    if (field !== undefined && value !== undefined) texts[field] = JSON.stringify(value);
  }
  return texts;
}

const stops: FieldReader<readonly string[]> = (value, field) => {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) throw wrong(field, 'a string or an array of strings');
  return listOf(string)(value, field);
};

const READERS: { readonly [S in Setting]-?: FieldReader<unknown> } = {
  temperature: number,
  topP: number,
  topK: number,
  maxOutputTokens: number,
  stop: stops,
  seed: number,
  presencePenalty: number,
  frequencyPenalty: number,
  serviceTier: string,
  user: string,
};

const SETTINGS = Object.keys(READERS) as readonly Setting[];
