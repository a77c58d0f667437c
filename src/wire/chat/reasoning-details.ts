import { isRecord } from '../../base/json-schema.ts';
import { isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

/** The `reasoning_details` of a response, put together from their pieces. */
export interface ReasoningDetails {
  /** Adds the pieces of one frame. */
  add(pieces: readonly unknown[]): void;
  /** Returns the entries so far, in the order in which they began. */
  entries(): readonly unknown[];
}

/**
 * Creates an empty list of details. A piece continues the entry of its type and index: its texts are appended, its
 * other fields replace those of the entry. Sealed data comes whole, so each piece of it is an entry of its own.
 */
export function createReasoningDetails(): ReasoningDetails {
  const entries: (OpenEntry | { readonly whole: unknown })[] = [];
  const byKey = new Map<string, OpenEntry>();
  let latest: string | undefined;

  function addPiece(piece: Fields): void {
    const key = `${piece.index} ${piece.type}`;
    // A piece without an index can only continue the latest entry.
    let entry = isSet(piece.index) || key === latest ? byKey.get(key) : undefined;
    if (entry === undefined || !goesOn(piece, entry)) {
      entry = { fields: new Map(), texts: new Map() };
      byKey.set(key, entry);
      entries.push(entry);
      latest = key;
    }
    continueEntry(entry, piece);
  }

  return {
    add(pieces) {
      for (const piece of pieces) {
        if (isRecord(piece)) addPiece(piece);
        else if (piece !== null) entries.push({ whole: piece });
      }
    },
    entries: () => entries.map((entry) => ('whole' in entry ? entry.whole : entryValue(entry))),
  };
}

interface OpenEntry {
  /** In order of arrival. A map, since any field name may come. */
  readonly fields: Map<string, unknown>;
  readonly texts: Map<string, OpenText>;
}

function goesOn(piece: Fields, { fields }: OpenEntry): boolean {
  const both = (name: string) => isSet(piece[name]) && isSet(fields.get(name));
  return !both('data') && !(both('id') && piece.id !== fields.get('id'));
}

function continueEntry({ fields, texts }: OpenEntry, piece: Fields): void {
  for (const [name, value] of Object.entries(piece)) {
    if (isSet(value) || !fields.has(name)) fields.set(name, value);
    if (TEXTS.has(name) && typeof value === 'string') continueText(name, value, texts);
  }
}

const TEXTS: ReadonlySet<string> = new Set(['text', 'summary']);

/** A text that comes either in pieces or repeatedly as a whole, longer each time. */
interface OpenText {
  /** `undecided`: each piece so far began with the one before it, and all are short. */
  kind: 'undecided' | 'pieces' | 'whole';
  joined: string;
  last: string;
}

/** A text of at least this length is not repeated by chance. */
const TELLING_LENGTH = 16;

function continueText(name: string, piece: string, texts: Map<string, OpenText>): void {
  if (piece === '') return;
  const text = texts.get(name);
  if (text === undefined) {
    texts.set(name, { kind: 'undecided', joined: piece, last: piece });
    return;
  }
  if (text.kind === 'undecided') text.kind = kindAfter(text, piece);
  if (text.kind === 'whole') {
    text.last = piece.startsWith(text.last) ? piece : text.last + piece;
    text.joined = '';
  } else {
    text.joined += piece;
    text.last = piece;
  }
}

function kindAfter({ last, joined }: OpenText, piece: string): OpenText['kind'] {
  if (!piece.startsWith(last)) return 'pieces';
  if (last.length >= TELLING_LENGTH) return 'whole';
  if (piece.length > last.length) return 'undecided';
  // A text that grew before and is now repeated unchanged is sent whole each time, while another field grows.
  return joined.length > last.length ? 'whole' : 'pieces';
}

function entryValue({ fields, texts }: OpenEntry): unknown {
  const value = new Map(fields);
  for (const [name, { kind, joined, last }] of texts) value.set(name, kind === 'pieces' ? joined : last);
  return Object.fromEntries(value);
}
