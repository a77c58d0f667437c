import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import type { RunningFrame } from '../../wire/framing/text-runs.ts';

/**
 * Reads frames of running text without parsing each of them: most servers write all frames alike, except for the text.
 * A frame with the beginning and the end of a parsed frame, around a text that needs no unescaping, means the same.
 */
export interface TemplateFrames {
  /** Reads a frame that fits the template; undefined if it has to be parsed. */
  read(data: string): TemplateFrame | undefined;
  /** Reads all frames that fit the template at the beginning of an event stream's text. */
  readRun(stream: string): TemplateRun | undefined;
  /** Makes a template of a parsed frame. */
  learn(data: string, chunk: Fields): void;
}

/** Tries before a server is left alone that writes different fields into each frame. */
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
  /** Joined text of the frames. */
  readonly text: string;
  readonly end: number;
}

/** Splits the stream at the characters between two texts: far faster than comparing frame by frame. */
function readRun({ lead, tail, between }: FrameTemplate, stream: string): TemplateRun | undefined {
  if (!stream.startsWith(lead)) return undefined;
  const parts = stream.slice(lead.length).split(between);
  let text = '';
  let count = 0;
  let end = 0;
  for (const part of parts) {
    // The last part still has its tail, and anything that follows.
    const length = count === parts.length - 1 ? part.indexOf(tail) : part.length;
    if (length < 0 || !isPlain(part, 0, length)) break;
    text += part.slice(0, length);
    count++;
    end += lead.length + length + tail.length;
  }
  return count === 0 ? undefined : { count, text, end };
}

/** Frame without its text, as it is written and as it was parsed. */
interface FrameTemplate {
  readonly before: string;
  readonly after: string;
  /** The same, as written in an event stream. */
  readonly lead: string;
  readonly tail: string;
  /** Characters between the texts of two frames in a row. */
  readonly between: string;
  readonly chunk: Fields;
  readonly choice: Fields;
  readonly delta: Fields;
}

/** Frame whose value is made on first use: most readers need only the text. */
export class TemplateFrame implements RunningFrame {
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

/** Reports whether the gap between the two halves is the text of the choice, not something that looks like it. */
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

/** Reports whether a part of a JSON string has no escapes. */
function isPlain(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return false;
  }
  return true;
}
