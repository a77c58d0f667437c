import type { EncodeStreamOptions, StreamEncoder } from '../../base/wire.ts';
import { createResponseLines, type ResponseLine } from './response-lines.ts';
import { writeUsage } from './usage-fields.ts';

/** Returns an encoder of one response. */
export function encodeStream(options: EncodeStreamOptions): StreamEncoder {
  return encoderFor(MESSAGE_FORM, options);
}

/** The form of an answer: the place of its texts and calls. */
export interface AnswerForm {
  /** Returns the fields of a line that hold a text or a call, as JSON without the braces. Empty: the form has none. */
  fields(said: Said): string;
  /** Fields that only the last line has. */
  readonly last: Readonly<Record<string, unknown>>;
}

/** The part of an answer in one line: JSON texts. */
export interface Said {
  readonly content?: string;
  readonly thinking?: string;
  readonly calls?: readonly string[];
}

/** The answer to a list of messages is a message. */
export const MESSAGE_FORM: AnswerForm = {
  fields({ content = '""', thinking, calls = [] }) {
    const thought = thinking === undefined ? '' : `,"thinking":${thinking}`;
    const called = calls.length === 0 ? '' : `,"tool_calls":[${calls.join(',')}]`;
    return `"message":{"role":"assistant","content":${content}${thought}${called}}`;
  },
  last: {},
};

export function encoderFor(form: AnswerForm, options: EncodeStreamOptions): StreamEncoder {
  const lines = createResponseLines();
  const head = headOf(options);
  return { push: (event) => lines.push(event).map((line) => ({ data: lineText(line, form, head) })) };
}

/** Returns the fields that all lines of a response begin with, as JSON without the closing brace. */
export function headOf({ model, createdAt }: EncodeStreamOptions): string {
  const created_at = new Date(createdAt * 1000).toISOString();
  return JSON.stringify({ model, created_at }).slice(0, -1);
}

function lineText(line: ResponseLine, form: AnswerForm, head: string): string {
  switch (line.type) {
    case 'content':
      return `${head},${form.fields({ content: JSON.stringify(line.text) })},"done":false}`;
    case 'thinking':
      return `${head},${form.fields({ thinking: JSON.stringify(line.text) })},"done":false}`;
    case 'call':
      return `${head},${form.fields({ calls: [line.text] })},"done":false}`;
    case 'end':
      return `${head},${form.fields({})},${endFields(line, form)}}`;
    case 'error':
      return errorText(line);
  }
}

/** Returns the fields that end a response, as JSON without the braces. */
export function endFields({ reason, usage }: Extract<ResponseLine, { type: 'end' }>, { last }: AnswerForm): string {
  return JSON.stringify({ done: true, done_reason: reason, ...last, ...writeUsage(usage) }).slice(1, -1);
}

/** Returns the line that ends a response with a failure. Clients know no code, and take the line for a failure anyway. */
export function errorText({ message, code }: { readonly message: string; readonly code: string | null }): string {
  return JSON.stringify({ error: message, ...(code !== null && { code }) });
}
