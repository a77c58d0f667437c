import type { MessageItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { Fields } from '../fields/request-fields.ts';
import { parsedJson } from '../lowering/parsed-json.ts';
import { writeUsage } from './usage-fields.ts';

/** Returns a message without content, as it is before the answer. */
export function emptyMessage(id: string, model: string): Fields {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: writeUsage(null),
  };
}

type Ending = Extract<ModelEvent, { type: 'completed' | 'incomplete' }>;

/** Returns the fields of a message that say how it ended. */
export function stopFields(ending: Ending, hasCalls: boolean): Fields {
  const stoppedAt = ending.type === 'completed' && !hasCalls ? ending.stoppedAt : undefined;
  if (stoppedAt !== undefined) return { stop_reason: 'stop_sequence', stop_sequence: stoppedAt };
  return { stop_reason: stopReason(ending, hasCalls), stop_sequence: null };
}

function stopReason(ending: Ending, hasCalls: boolean): string {
  if (ending.type === 'incomplete') return ending.reason === 'content_filter' ? 'refusal' : 'max_tokens';
  if (hasCalls) return 'tool_use';
  return ending.endTurn === false ? 'pause_turn' : 'end_turn';
}

/** Returns the text of an answer. A refusal is a text on this wire. */
export function spokenText({ content }: MessageItem): string {
  const texts = content.map((part) => {
    if (part.type === 'refusal') return part.refusal;
    return part.type === 'output_text' ? part.text : '';
  });
  return texts.join('');
}

/** Returns arguments as the JSON text of an object. The wire has no other input, and a model may have written anything. */
export function inputText(args: string): string {
  if (isRecord(parsedJson(args))) return args;
  return args.trim() === '' ? '{}' : JSON.stringify({ input: args });
}
