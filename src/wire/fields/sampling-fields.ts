import type { Sampling } from '../../base/model.ts';
import { type FieldReader, type Fields, listOf, number, optional, string, wrong } from './request-fields.ts';

type Setting = keyof Sampling;

/** The fields of a wire by what they set. Where one has several names the first that is there is read, the last written. */
export type SamplingNames = { readonly [S in Setting]?: readonly string[] };

/** What a client's request says of sampling; nothing for a request that says nothing. */
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

/** The settings that a wire has fields for, as JSON texts by the names of these. */
export function writeSampling(sampling: Sampling | undefined, names: SamplingNames): Readonly<Record<string, string>> {
  if (sampling === undefined) return {};
  const fields = SETTINGS.flatMap((setting): readonly (readonly [string, string])[] => {
    const field = names[setting]?.at(-1);
    const value = sampling[setting];
    return field === undefined || value === undefined ? [] : [[field, JSON.stringify(value)]];
  });
  return Object.fromEntries(fields);
}

const stops: FieldReader<readonly string[]> = (value, field) => {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) throw wrong(field, 'a string or an array of strings');
  return listOf(string)(value, field);
};

const READERS: { readonly [S in Setting]-?: FieldReader<unknown> } = {
  temperature: number,
  topP: number,
  maxOutputTokens: number,
  stop: stops,
  seed: number,
  presencePenalty: number,
  frequencyPenalty: number,
  serviceTier: string,
  user: string,
};

const SETTINGS = Object.keys(READERS) as readonly Setting[];
