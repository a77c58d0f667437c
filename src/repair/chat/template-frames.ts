import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/**
 * Reads frames of running text without parsing each of them: most servers write them all alike, but for the text. A
 * frame that begins and ends as one that was parsed, with a text between that needs no unescaping, says the same.
 */
export interface TemplateFrames {
  /** A frame that is like the one before; undefined where it has to be parsed. */
  read(data: string): TemplateFrame | undefined;
  /** All frames like the one before that an event stream's text begins with. */
  readRun(stream: string): TemplateRun | undefined;
  /** A frame that was parsed: further ones may be like it. */
  learn(data: string, chunk: Fields): void;
}

/** A server that writes something else into each frame is left alone after so many. */
const MAX_TRIES = 3;

export function createTemplateFrames(): TemplateFrames {
  let template: FrameTemplate | undefined;
  let tries = 0;
  return {
    read(data) {
      if (template === undefined) return undefined;
      const { before, after } = template;
      if (!data.startsWith(before) || !data.endsWith(after)) return undefined;
      const end = data.length - after.length;
      if (end < before.length || !isPlain(data, before.length, end)) return undefined;
      tries = 0;
      return new TemplateFrame(data, data.slice(before.length, end), template);
    },
    readRun: (stream) => template && readRun(template, stream),
    learn(data, chunk) {
      if (tries > MAX_TRIES) return;
      tries++;
      template = templateOf(data, chunk);
    },
  };
}

export interface TemplateRun {
  readonly count: number;
  /** What they say together. */
  readonly text: string;
  readonly end: number;
}

/** Cuts the text at what stands between two texts: far faster than to compare frame by frame. */
function readRun({ lead, tail, between }: FrameTemplate, stream: string): TemplateRun | undefined {
  if (!stream.startsWith(lead)) return undefined;
  const parts = stream.slice(lead.length).split(between);
  let text = '';
  let count = 0;
  let end = 0;
  for (const part of parts) {
    // The last one has its tail still, and whatever follows.
    const length = count === parts.length - 1 ? part.indexOf(tail) : part.length;
    if (length < 0 || !isPlain(part, 0, length)) break;
    text += part.slice(0, length);
    count++;
    end += lead.length + length + tail.length;
  }
  return count === 0 ? undefined : { count, text, end };
}

/** A frame around its text, as it is written and as it was parsed. */
interface FrameTemplate {
  readonly before: string;
  readonly after: string;
  /** The same with what is around them in an event stream. */
  readonly lead: string;
  readonly tail: string;
  /** What stands between the texts of two that follow each other. */
  readonly between: string;
  readonly chunk: Fields;
  readonly choice: Fields;
  readonly delta: Fields;
}

/** Its value is made when somebody asks for it: of most frames only the text matters. */
export class TemplateFrame implements Frame {
  readonly data: string;
  readonly text: string;
  readonly #template: FrameTemplate;
  #json: Fields | undefined;

  constructor(data: string, text: string, template: FrameTemplate) {
    this.data = data;
    this.text = text;
    this.#template = template;
  }

  get json(): Fields {
    const { chunk, choice, delta } = this.#template;
    this.#json ??= { ...chunk, choices: [{ ...choice, delta: { ...delta, content: this.text } }] };
    return this.#json;
  }
}

function templateOf(data: string, chunk: Fields): FrameTemplate | undefined {
  const choice = firstChoice(chunk);
  const { delta } = choice;
  if (!isRecord(delta) || typeof delta.content !== 'string') return undefined;
  for (const lead of LEADS) {
    const at = data.indexOf(`${lead}${delta.content}"`);
    if (at < 0) continue;
    const before = data.slice(0, at + lead.length);
    const after = data.slice(before.length + delta.content.length);
    if (isContent(before, after)) return { ...around(before, after), chunk, choice, delta };
  }
  return undefined;
}

function around(before: string, after: string): Pick<FrameTemplate, 'before' | 'after' | 'lead' | 'tail' | 'between'> {
  const lead = `data: ${before}`;
  const tail = `${after}\n\n`;
  return { before, after, lead, tail, between: tail + lead };
}

const LEADS = ['"content":"', '"content": "'];
const PROBE = 'probe';

/** Whether what stands between is the text of the choice, and not something that looks like it. */
function isContent(before: string, after: string): boolean {
  try {
    const { delta } = firstChoice(JSON.parse(`${before}${PROBE}${after}`));
    return isRecord(delta) && delta.content === PROBE;
  } catch {
    return false;
  }
}

function firstChoice(chunk: unknown): Fields {
  const choices = isRecord(chunk) ? chunk.choices : undefined;
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : undefined;
  return isRecord(choice) ? choice : {};
}

/** Whether a stretch of JSON inside of a string stands for itself. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}
