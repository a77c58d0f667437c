import { isRecord } from '../../base/json-schema.ts';
import { isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

/** The `reasoning_details` of a response, put together from its pieces. */
export interface ReasoningDetails {
  /** What one frame says of them. */
  add(pieces: readonly unknown[]): void;
  /** The entries so far, in the order in which they began. */
  entries(): readonly unknown[];
}

/**
 * Nothing collected yet. A piece goes on with the entry of its type and index; its texts are added to those of the
 * entry, its other fields replace them. What is sealed comes whole, so each of it is an entry of its own.
 */
export function createReasoningDetails(): ReasoningDetails {
  const entries: (OpenEntry | { readonly whole: unknown })[] = [];
  const byKey = new Map<string, OpenEntry>();
  let latest: string | undefined;

  function addPiece(piece: Fields): void {
    const key = `${piece.index} ${piece.type}`;
    // Without an index only the latest entry can be meant.
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
  /** In the order in which they came. A map, as any name may come. */
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

/** A text that comes in pieces, or again and again with more behind it. */
interface OpenText {
  /** `undecided`: each piece began with the one before it, and all are short. */
  kind: 'undecided' | 'pieces' | 'whole';
  joined: string;
  last: string;
}

/** A text of this length does not come twice by chance. */
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
  // What has grown before and now stands still is a text sent again, while something else grows.
  return joined.length > last.length ? 'whole' : 'pieces';
}

function entryValue({ fields, texts }: OpenEntry): unknown {
  const value = new Map(fields);
  for (const [name, { kind, joined, last }] of texts) value.set(name, kind === 'pieces' ? joined : last);
  return Object.fromEntries(value);
}
