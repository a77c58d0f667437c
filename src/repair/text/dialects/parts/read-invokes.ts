import type { Cursor } from '../../cursor.ts';
import type { TextCall } from '../../dialect.ts';
import { takeAfterSpace } from './literals.ts';
import { nameInBlock } from './name-in-block.ts';
import { readAttributes } from './read-attributes.ts';
import { type ParameterTags, readParameters } from './read-parameters.ts';
import type { DialectReading, Tools } from './reading.ts';

export interface InvokeTags {
  /** Tags around all calls. */
  readonly block: readonly string[];
  readonly blockEnd: readonly string[];
  /** Beginnings of a call, up to its attributes, with the tags of its parameters. */
  readonly invokes: ReadonlyMap<string, ParameterTags>;
}

/** Reads a block of calls, or one call that stands alone. */
export function* readInvokes(
  cursor: Cursor,
  tools: Tools,
  tags: InvokeTags,
): DialectReading<readonly TextCall[] | undefined> {
  const inBlock = (yield* takeAfterSpace(cursor, tags.block)) !== undefined;
  const calls: TextCall[] = [];
  for (;;) {
    const next = inBlock || calls.length === 0 ? [...tags.invokes.keys(), ...tags.blockEnd] : tags.blockEnd;
    const tag = yield* takeAfterSpace(cursor, next);
    const parameters = tags.invokes.get(tag ?? '');
    if (parameters === undefined) return calls.length > 0 ? calls : undefined;
    const call = yield* readInvoke(cursor, tools, parameters);
    if (call === undefined) return undefined;
    calls.push(call);
  }
}

function* readInvoke(cursor: Cursor, tools: Tools, parameters: ParameterTags): DialectReading<TextCall | undefined> {
  const name = nameInBlock(cursor, (yield* readAttributes(cursor))?.get('name'), tools);
  if (name === undefined) return undefined;
  const text = yield* readParameters(cursor, tools.get(name), parameters);
  return text === undefined ? undefined : { name, arguments: text };
}
