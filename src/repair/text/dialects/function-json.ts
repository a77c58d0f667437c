import type { Dialect } from '../dialect.ts';
import { readArguments } from './parts/arguments-text.ts';
import { nameInBlock } from './parts/name-in-block.ts';
import { passBlock } from './parts/pass-block.ts';
import { tagPattern } from './parts/tag-pattern.ts';
import { takeJsonClosing } from './parts/take-json-closing.ts';
import { takeWord } from './parts/take-word.ts';

const OPEN = '<function=';
const CLOSE = ['</function>', '<function>', '<function/>'];
const TAGS = tagPattern([OPEN, ...CLOSE]);

/**
 * Reads `<function=NAME>{…}</function>`, also with broken tags: `<function=NAME={…}</function>`,
 * `<function=NAME>{…}<function>`. Seen with Llama 3.
 */
export const functionJson: Dialect = {
  id: 'D9',
  markers: [OPEN],
  kind: 'tag',
  *read(cursor, tools) {
    yield* cursor.take(OPEN);
    const name = nameInBlock(cursor, yield* takeWord(cursor, '<>{}()[]=,"\' \t\r\n'), tools);
    if (name === undefined) return undefined;
    yield* cursor.while((code) => '>=,( \t\r\n'.includes(String.fromCharCode(code)));
    const from = cursor.position;
    const text = yield* readArguments(cursor, tools.get(name), []);
    if (text !== undefined) yield* cursor.while((code) => ')> \t\r\n'.includes(String.fromCharCode(code)));
    if (text !== undefined && (yield* takeJsonClosing(cursor, CLOSE))) return [{ name, arguments: text }];
    return yield* passBlock(cursor, TAGS, CLOSE, from);
  },
};
