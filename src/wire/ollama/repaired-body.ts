import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import { withField, withoutFields } from '../fields/edit-fields.ts';
import { isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { messageIn } from './inspect.ts';

/** Puts the texts, the calls and the end of the repaired lines into a whole answer. All other fields of it stay. */
export function repairedBody(answer: Fields, frames: readonly Frame[]): Fields | undefined {
  const isMessage = isRecord(answer.message);
  if (!isMessage && typeof answer.response !== 'string') return undefined;
  const said: Said = { content: '', thinking: '', calls: [], reason: undefined };
  for (const line of frames.map(frameValue).filter(isRecord)) addLine(said, line);
  const texts = isMessage
    ? withField(answer, 'message', editMessage(messageIn(answer), said))
    : withText(withText(answer, 'response', said.content), 'thinking', said.thinking);
  return said.reason === undefined ? texts : withField(texts, 'done_reason', said.reason);
}

interface Said {
  content: string;
  thinking: string;
  readonly calls: unknown[];
  reason: unknown;
}

function addLine(said: Said, line: Fields): void {
  const { content, thinking, tool_calls } = messageIn(line);
  if (typeof content === 'string') said.content += content;
  if (typeof thinking === 'string') said.thinking += thinking;
  if (Array.isArray(tool_calls)) said.calls.push(...tool_calls);
  said.reason = line.done_reason ?? said.reason;
}

function editMessage(message: Fields, { content, thinking, calls }: Said): Fields {
  const texts = withText(withField(message, 'content', content), 'thinking', thinking);
  return calls.length === 0 ? withoutFields(texts, ['tool_calls']) : withField(texts, 'tool_calls', calls);
}

/** Returns the fields with a text; without the field if the text is empty and was left out or removed. */
function withText(fields: Fields, name: string, text: string): Fields {
  if (text !== '' || (name === 'response' && isSet(fields.response))) return withField(fields, name, text);
  return withoutFields(fields, [name]);
}
