import type { Dialect } from '../dialect.ts';
import { peekLiteral } from './parts/literals.ts';
import { type InvokeTags, readInvokes } from './parts/read-invokes.ts';
import { parameterTags } from './parts/read-parameters.ts';

/** Bars of the token, and the spellings of servers that have lost it. */
const SPELLINGS: readonly InvokeTags[] = ['｜', '|', '||', '‖', '｜｜'].map((bar) => {
  const open = (name: string) => `<${bar}DSML${bar}${name}`;
  const close = (name: string) => `</${bar}DSML${bar}${name}`;
  const blocks = ['tool_calls>', 'function_calls>'];
  const blockEnd = blocks.map(close);
  const invoke = open('invoke ');
  const parameters = parameterTags({
    open: [open('parameter ')],
    close: close('parameter>'),
    end: [close('invoke>')],
    begins: [invoke],
    blockEnd,
    blocks: blocks.map(open),
  });
  return {
    block: blocks.map(open),
    blockEnd,
    invokes: new Map([[invoke, parameters]]),
  };
});

const MARKERS = SPELLINGS.flatMap(({ block, invokes }) => [...block, ...invokes.keys()]);

/**
 * Reads `<｜DSML｜invoke name="NAME"><｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter></｜DSML｜invoke>`,
 * seen with DeepSeek V3.2 and V4.
 */
export const dsmlTags: Dialect = {
  id: 'D6',
  markers: MARKERS,
  kind: 'token',
  *read(cursor, tools) {
    const begin = (yield* peekLiteral(cursor, MARKERS)) ?? '';
    const tags = SPELLINGS.find(({ block, invokes }) => block.includes(begin) || invokes.has(begin));
    return tags === undefined ? undefined : yield* readInvokes(cursor, tools, tags);
  },
};
