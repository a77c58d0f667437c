import { NAMESPACED_TAG } from './product-tokens.ts';
import type { InvokeTags } from './read-invokes.ts';
import { parameterTags } from './read-parameters.ts';

const BLOCKS = [NAMESPACED_TAG, 'function_calls>', 'tool_calls>', 'tool_call>'];
const BLOCK_ENDS = BLOCKS.map((name) => `</${name}`);

const BRACKETED = parameterTags({
  open: ['<parameter '],
  close: '</parameter>',
  end: ['</invoke>'],
  begins: ['<invoke '],
  blockEnd: BLOCK_ENDS,
  blocks: BLOCKS.map((name) => `<${name}`),
});

/** Some models lose the brackets that open a tag, all of them or some. */
const BARE_BLOCK_ENDS = [...BLOCK_ENDS, `/${NAMESPACED_TAG}`, NAMESPACED_TAG];
const BARE = parameterTags({
  open: ['<parameter ', 'parameter '],
  close: 'parameter>',
  end: ['</invoke>', '/invoke>', 'invoke>'],
  begins: ['<invoke ', 'invoke '],
  blockEnd: BARE_BLOCK_ENDS,
  blocks: [],
});

/** Calls between `invoke` tags, with their parameters between `parameter` tags. */
export const INVOKE_GRAMMAR: InvokeTags = {
  block: [...BLOCKS.map((name) => `<${name}`), NAMESPACED_TAG],
  blockEnd: BARE_BLOCK_ENDS,
  invokes: new Map([
    ['<invoke ', BRACKETED],
    ['invoke ', BARE],
  ]),
};
