import { hashText } from '../wire/lowering/hash-text.ts';

/** A mapping between tool names and the forms that a strict server accepts. */
export interface NameCodec {
  encode(name: string): string;
  /** Returns the name that was encoded; any other name unchanged. */
  decode(name: string): string;
  /** Forms of the names that changed, by name. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Creates a codec for the names of a request. A plain name is unchanged, and no two names get the same form. The forms
 * depend on the set of names and not on their order, so they stay the same from request to request.
 */
export function createNameCodec(names: Iterable<string>): NameCodec {
  const all = new Set(names);
  const taken = new Set([...all].filter((name) => PLAIN.test(name)));
  const wanting = [...all].filter((name) => !PLAIN.test(name));
  const wishes = new Map<string, number>();
  for (const name of wanting) wishes.set(plainForm(name), (wishes.get(plainForm(name)) ?? 0) + 1);
  const isFree = (name: string) =>
    name.length <= MAX_LENGTH && !taken.has(plainForm(name)) && wishes.get(plainForm(name)) === 1;
  const clear = new Set(wanting.filter(isFree));
  const renamed = new Map<string, string>();
  const give = (name: string, form: string) => {
    renamed.set(name, form);
    taken.add(form);
  };
  for (const name of clear) give(name, plainForm(name));
  for (const name of wanting) if (!clear.has(name)) give(name, markedForm(name, taken));
  const originals = new Map(Array.from(renamed, ([name, form]) => [form, name]));
  return {
    encode: (name) => renamed.get(name) ?? name,
    decode: (name) => originals.get(name) ?? name,
    renamed,
  };
}

const MAX_LENGTH = 64;
const PLAIN = /^[a-zA-Z0-9_-]{1,64}$/;

function plainForm(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/gu, '_').slice(0, MAX_LENGTH) || '_';
}

const MARK_LENGTH = 8;

/** Returns a form that no other name has, marked with a hash of the whole name. */
function markedForm(name: string, taken: ReadonlySet<string>): string {
  const stem = plainForm(name).slice(0, MAX_LENGTH - MARK_LENGTH - 1);
  for (let seed = 0; ; seed++) {
    const mark = hashText(name, seed).toString(36).padStart(MARK_LENGTH, '0').slice(-MARK_LENGTH);
    const form = `${stem}_${mark}`;
    if (!taken.has(form)) return form;
  }
}
