import type { Construct, ScannerState } from './construct.ts';

/** HTML elements that show their content, and comments. They are text, and nothing in them is a call. */
export const QUOTED_ELEMENTS: readonly Construct[] = [
  element(['<!--'], { whole: /-->/g, line: /-->/g, longest: 3, blockBefore: /^/ }),
  element(['<pre>', '<pre '], { whole: /<\/pre>/g, line: /<\/pre>|\n/g, longest: 6, blockBefore: /^/ }),
  element(['<code>', '<code '], { whole: /<\/code>/g, line: /<\/code>|\n/g, longest: 7, blockBefore: /[\r\n<]/ }),
];

interface Ends {
  /** Ends an element that is a block: it begins its line, and a character that fits `blockBefore` follows its tag. */
  readonly whole: RegExp;
  /** Ends any other element, whose tag may also be a word of a sentence. */
  readonly line: RegExp;
  readonly longest: number;
  readonly blockBefore: RegExp;
}

function element(markers: readonly string[], { whole, line, longest, blockBefore }: Ends): Construct {
  const [tagOnly = '', withAttributes = ''] = markers;
  return {
    markers,
    atStart: false,
    isShort: false,
    applies: ({ markdown }) => !(markdown.inCode || markdown.afterQuote),
    *read(cursor, { markdown }: ScannerState) {
      const { lineStarts } = markdown;
      cursor.reject();
      cursor.begin();
      if (!(yield* cursor.take(tagOnly)) && (yield* cursor.take(withAttributes))) {
        yield* cursor.while((code) => !'<>\n'.includes(String.fromCharCode(code)));
        yield* cursor.take('>');
      }
      const isBlock = lineStarts && blockBefore.test((yield* cursor.peek()) ?? '');
      const { tag } = yield* cursor.untilTag({ tags: isBlock ? whole : line, longest });
      if (tag !== '') cursor.endBlock();
      return undefined;
    },
  };
}
