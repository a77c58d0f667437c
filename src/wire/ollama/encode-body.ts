import type { ModelEvent } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { type AnswerForm, endFields, errorText, headOf, MESSAGE_FORM, type Said } from './encode-stream.ts';
import { createResponseLines, type ResponseLine } from './response-lines.ts';

/** Encodes a whole response: its lines, put together. */
export function encodeBody(events: readonly ModelEvent[], options: EncodeStreamOptions): unknown {
  return bodyFor(MESSAGE_FORM, events, options);
}

export function bodyFor(form: AnswerForm, events: readonly ModelEvent[], options: EncodeStreamOptions): unknown {
  const lines = createResponseLines();
  const body: Body = { content: '', thinking: '', calls: [], end: NO_END };
  for (const line of events.flatMap((event) => lines.push(event))) {
    if (line.type === 'error') return JSON.parse(errorText(line));
    addLine(body, line);
  }
  return JSON.parse(`${headOf(options)},${form.fields(saidBy(body))},${endFields(body.end, form)}}`);
}

type EndLine = Extract<ResponseLine, { type: 'end' }>;

interface Body {
  content: string;
  thinking: string;
  readonly calls: string[];
  end: EndLine;
}

const NO_END: EndLine = { type: 'end', reason: 'stop', usage: null };

function addLine(body: Body, line: Exclude<ResponseLine, { type: 'error' }>): void {
  if (line.type === 'end') body.end = line;
  else if (line.type === 'call') body.calls.push(line.text);
  else body[line.type] += line.text;
}

function saidBy({ content, thinking, calls }: Body): Said {
  return {
    content: JSON.stringify(content),
    ...(thinking !== '' && { thinking: JSON.stringify(thinking) }),
    calls,
  };
}
