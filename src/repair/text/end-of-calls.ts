import type { Construct } from './construct.ts';
import { tagPattern } from './dialects/parts/tag-pattern.ts';

/** Tokens with which models end an answer, and closing tags that have lost their opening ones. */
const TOKENS = [
  '<|im_end|>',
  '<|endoftext|>',
  '<|end_of_text|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|eot|>',
  '<|eom|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<|user|>',
  '<|observation|>',
  '<｜end▁of▁sentence｜>',
  '<end_of_turn>',
  '<eos>',
  '</s>',
  '[e~[',
  '</tool_call>',
  '</tool_calls>',
  '</function_calls>',
  '<|tool_call_end|>',
  '<|tool_calls_section_end|>',
  '<｜tool▁call▁end｜>',
  '<｜tool▁calls▁end｜>',
];

/** Tags between which models make up the output of their own call. */
const OUTPUTS: readonly (readonly [open: string, close: string])[] = [
  ['<tool_response>', '</tool_response>'],
  ['<tool_responses>', '</tool_responses>'],
  ['<tool_result>', '</tool_result>'],
  ['<tool_results>', '</tool_results>'],
  ['<tool_output>', '</tool_output>'],
  ['<function_response>', '</function_response>'],
  ['<function_result>', '</function_result>'],
  ['<function_results>', '</function_results>'],
  ['<observation>', '</observation>'],
  ['<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>'],
  ['<｜tool▁output▁begin｜>', '<｜tool▁output▁end｜>'],
  ['[TOOL_RESULTS]', '[/TOOL_RESULTS]'],
  ['<|start|>functions.', '<|end|>'],
];

/** Texts that may follow calls at the end of an answer. They disappear with the calls. */
export const END_OF_CALLS: readonly Construct[] = [
  {
    markers: TOKENS,
    atStart: false,
    isShort: true,
    applies: ({ followsCalls }) => followsCalls,
    *read(cursor) {
      for (const token of TOKENS) if (yield* cursor.take(token)) break;
      return { type: 'end' };
    },
  },
  ...OUTPUTS.map(([open, close]): Construct => {
    const closing = tagPattern([close]);
    return {
      markers: [open],
      atStart: false,
      isShort: false,
      applies: ({ followsCalls }) => followsCalls,
      *read(cursor) {
        yield* cursor.take(open);
        const { before, tag } = yield* cursor.untilTag(closing);
        return tag !== '' || before.trim() === '' ? { type: 'end' } : undefined;
      },
    };
  }),
];
