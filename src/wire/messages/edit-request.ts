import { editHistory } from '../../adapt/history.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Compat } from '../../base/wire.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { sameOr, withField, withoutFields } from '../fields/edit-fields.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { adaptRules, blocksOf } from './adapt-rules.ts';
import { assertWhole } from './assert-whole.ts';
import { isOurs } from './reasoning-blocks.ts';

export const editRequest: EdgeWire['editRequest'] = (body, { model, compat }) => {
  assertWhole(body);
  const named = withField(withoutFields(body, ['thread']), 'model', model);
  const isUnwanted = compat.sendReasoning === 'none' ? isReasoning : isSealedByUs;
  return withParallelCalls(withoutBlocks(named, isUnwanted), compat);
};

/** Removes all reasoning: only the server that signed it accepts it. */
export function withoutSealed(body: Fields): Fields {
  return withoutBlocks(body, isReasoning);
}

function isReasoning({ type }: Fields): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Reports whether the gateway sealed a block, for a server of another wire. No server of this wire accepts it. */
function isSealedByUs(block: Fields): boolean {
  return isReasoning(block) && (isOurs(block.signature) || isOurs(block.data));
}

/** Removes blocks, and messages of which nothing is left. */
function withoutBlocks(body: Fields, isUnwanted: (block: Fields) => boolean): Fields {
  return editHistory(adaptRules, body, (messages) => {
    const kept = messages.flatMap((message): readonly unknown[] => {
      if (!isRecord(message) || !blocksOf(message).some(isUnwanted)) return [message];
      const content = (message.content as unknown[]).filter((block) => !isRecord(block) || !isUnwanted(block));
      return content.length === 0 ? [] : [{ ...message, content }];
    });
    return sameOr(messages, kept);
  });
}

/** Asks for one call at a time if the server accepts no more. A choice that calls nothing stays. */
function withParallelCalls(body: Fields, { parallelToolCalls }: Compat): Fields {
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  const choice = fieldsOf(body.tool_choice);
  if (!hasTools || parallelToolCalls || choice.type === 'none') return body;
  if (choice.disable_parallel_tool_use === true) return body;
  return withField(body, 'tool_choice', { type: 'auto', ...choice, disable_parallel_tool_use: true });
}
