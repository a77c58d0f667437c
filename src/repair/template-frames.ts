import { isRecord } from '../base/json-schema.ts';
import type { Frame } from '../base/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';
import type { RunningFrame } from '../wire/framing/text-runs.ts';

/**
 * Reads frames of running text without parsing each of them: most servers write all frames alike, except for the text
 * and a few other values. A frame with the characters of a parsed frame around values that need no unescaping means the
 * same.
 */
export interface TemplateFrames {
  /** Reads a frame that fits the template; undefined if it has to be parsed. */
  read(frame: Frame): TemplateFrame | undefined;
  /** Reads all frames that fit the template at the beginning of an event stream's text. */
  readRun(stream: string): TemplateRun | undefined;
  /** Makes a template of a parsed frame. */
  learn(frame: Frame, value: Fields): void;
}

/** Values in which frames of running text differ. The first is the text. */
export interface TemplateShape {
  readonly gaps: readonly Gap[];
}

export interface Gap {
  /** Field of the frame. */
  readonly field: string;
  /** Names of the fields, and places in lists, that lead from there to the value. */
  readonly inner: readonly (string | number)[];
  readonly type: 'text' | 'number';
}

/** Tries before a server is left alone that writes different fields into each frame. */
const MAX_TRIES = 3;

export function createTemplateFrames(shape: TemplateShape): TemplateFrames {
  let template: FrameTemplate | undefined;
  let tries = 0;
  return {
    read(frame) {
      if (template === undefined || frame.event !== template.event) return undefined;
      const found = valuesIn(frame.data, template);
      if (found === null) return undefined;
      tries = 0;
      return new TemplateFrame(frame, found, template);
    },
    readRun: (stream) => template?.run && readRun(template.run, template.value, stream),
    learn(frame, value) {
      if (tries > MAX_TRIES) return;
      tries++;
      template = templateOf(frame, value, shape);
    },
  };
}

/** Returns the values of a frame that fits, from the second entry on; null if it does not. */
function valuesIn(data: string, template: FrameTemplate): readonly (string | undefined)[] | null {
  const { segments, gaps } = template;
  const [before = '', after = ''] = segments;
  if (gaps.length > 1 || template.compared++ >= MOST_COMPARED) {
    template.pattern ??= patternOf(segments, gaps);
    return template.pattern.exec(data);
  }
  const end = data.length - after.length;
  const isAlike = before.length <= end && data.startsWith(before) && data.endsWith(after);
  return isAlike && endOfText(data, before.length, end) === end ? [data, data.slice(before.length, end)] : null;
}

/** Number of frames that are compared before a pattern is made. Making one is slow, and matching it is fast. */
const MOST_COMPARED = 8;

export interface TemplateRun {
  readonly count: number;
  /** Joined text of the frames. */
  readonly text: string;
  readonly end: number;
  /** The frame that the template was made of. */
  readonly like: Fields;
}

/** Reads the frame that came alone, or splits the stream, which is far faster than comparing frame by frame. */
function readRun(template: RunTemplate, like: Fields, stream: string): TemplateRun | undefined {
  const { lead, tail } = template;
  if (!stream.startsWith(lead)) return undefined;
  const end = stream.length - tail.length;
  const isAlone = end >= lead.length && endOfText(stream, lead.length, end) === end && stream.endsWith(tail);
  if (!isAlone) return splitRun(template, like, stream);
  return { count: 1, text: stream.slice(lead.length, end), end: stream.length, like };
}

/** Splits the stream at the characters between two texts. */
function splitRun({ lead, tail, between }: RunTemplate, like: Fields, stream: string): TemplateRun | undefined {
  const parts = stream.slice(lead.length).split(between);
  let text = '';
  let count = 0;
  let end = 0;
  for (const part of parts) {
    // The last part still has its tail, and anything that follows.
    const length = count === parts.length - 1 ? part.indexOf(tail) : part.length;
    if (length < 0 || endOfText(part, 0, length) < length) break;
    text += part.slice(0, length);
    count++;
    end += lead.length + length + tail.length;
  }
  return count === 0 ? undefined : { count, text, end, like };
}

/** Frame without its values, as it is written and as it was parsed. */
interface FrameTemplate {
  readonly event: string | undefined;
  /** Matches frames that fit, with a group for each value. Made on first use. */
  pattern: RegExp | undefined;
  /** Number of frames that were compared without the pattern. */
  compared: number;
  /** The characters before, between and behind the values. */
  readonly segments: readonly string[];
  /** The values, in the order in which they are written. */
  readonly gaps: readonly Gap[];
  /** Number of the group with the text. */
  readonly textAt: number;
  readonly value: Fields;
  /** Undefined where frames differ in more than their texts. */
  readonly run: RunTemplate | undefined;
}

/** Characters before the first text, behind the last, and between two, in an event stream. */
interface RunTemplate {
  readonly lead: string;
  readonly tail: string;
  readonly between: string;
}

/** Frame whose value is made on first use: most readers need only the text. */
export class TemplateFrame implements RunningFrame {
  declare readonly event?: string;
  readonly data: string;
  readonly text: string;
  readonly #template: FrameTemplate;
  /** The values, from the second entry on. */
  readonly #found: readonly (string | undefined)[];
  #json: Fields | undefined;

  constructor({ event, data }: Frame, found: readonly (string | undefined)[], template: FrameTemplate) {
    if (event !== undefined) this.event = event;
    this.data = data;
    this.text = found[template.textAt] ?? '';
    this.#template = template;
    this.#found = found;
  }

  get json(): Fields {
    this.#json ??= this.#made();
    return this.#json;
  }

  /** The frame that the template was made of. */
  get like(): Fields {
    return this.#template.value;
  }

  #made(): Fields {
    const { gaps, value } = this.#template;
    const made: Record<string, unknown> = { ...value };
    for (let n = 0; n < gaps.length; n++) {
      const { field, inner, type } = gaps[n] as Gap;
      const said = this.#found[n + 1];
      made[field] = withValueAt(value[field], inner, 0, type === 'text' ? said : Number(said));
    }
    return made;
  }
}

/** Returns where a JSON string ends, or the place of its first escape. */
function endOfText(text: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x22 || code === 0x5c) return at;
  }
  return to;
}

interface FoundGap {
  readonly gap: Gap;
  readonly from: number;
  readonly to: number;
}

function templateOf({ event, data }: Frame, value: Fields, shape: TemplateShape): FrameTemplate | undefined {
  const [text, ...others] = shape.gaps.map((gap) => foundGap(data, value, gap));
  if (text === undefined) return undefined;
  const found = [text, ...others.filter((one) => one !== undefined)].sort((a, b) => a.from - b.from);
  const segments = segmentsOf(data, found);
  const gaps = found.map(({ gap }) => gap);
  if (!areFields(segments, gaps)) return undefined;
  const run = gaps.length === 1 ? runOf(event, segments) : undefined;
  return { event, pattern: undefined, compared: 0, segments, gaps, textAt: found.indexOf(text) + 1, value, run };
}

/** Groups for values that need no unescaping. A number with more digits may not be a whole one for JavaScript. */
const GROUPS = { text: String.raw`([^"\\\x00-\x1f]*)`, number: String.raw`(0|[1-9]\d{0,14})`, end: '' } as const;

function patternOf(segments: readonly string[], gaps: readonly Gap[]): RegExp {
  const parts = segments.map((segment, n) => {
    return segment.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`) + GROUPS[gaps[n]?.type ?? 'end'];
  });
  return new RegExp(`^${parts.join('')}$`);
}

function segmentsOf(data: string, found: readonly FoundGap[]): readonly string[] {
  const ends = [0, ...found.map(({ to }) => to)];
  return ends.map((end, n) => data.slice(end, found[n]?.from ?? data.length));
}

function runOf(event: string | undefined, [before = '', after = '']: readonly string[]): RunTemplate {
  const lead = `${event === undefined ? '' : `event: ${event}\n`}data: ${before}`;
  const tail = `${after}\n\n`;
  return { lead, tail, between: tail + lead };
}

/** Finds where a value is written. Undefined if the frame lacks the value, or has it in another form. */
function foundGap(data: string, value: Fields, gap: Gap): FoundGap | undefined {
  const said = valueAt(value, gap);
  if (typeof said !== (gap.type === 'text' ? 'string' : 'number')) return undefined;
  const raw = String(said);
  const quote = gap.type === 'text' ? '"' : '';
  for (const colon of [':', ': ']) {
    const lead = `"${gap.inner.at(-1) ?? gap.field}"${colon}${quote}`;
    const at = data.indexOf(`${lead}${raw}${quote}`);
    if (at >= 0) return { gap, from: at + lead.length, to: at + lead.length + raw.length };
  }
  return undefined;
}

const PROBES = { text: 'probe', number: 987_654_321 } as const;

/** Reports whether the gaps are the values of the fields, not something that looks like them. */
function areFields(segments: readonly string[], gaps: readonly Gap[]): boolean {
  const probes = [...gaps.map(({ type }) => PROBES[type]), ''];
  try {
    const probed: unknown = JSON.parse(segments.map((segment, n) => `${segment}${probes[n]}`).join(''));
    return gaps.every((gap) => valueAt(probed, gap) === PROBES[gap.type]);
  } catch {
    return false;
  }
}

function valueAt(value: unknown, { field, inner }: Gap): unknown {
  return [field, ...inner].reduce<unknown>((at, name) => {
    if (Array.isArray(at)) return at[Number(name)];
    return isRecord(at) ? at[name] : undefined;
  }, value);
}

function withValueAt(old: unknown, path: readonly (string | number)[], depth: number, value: unknown): unknown {
  const name = path[depth];
  if (name === undefined) return value;
  if (Array.isArray(old)) return old.with(Number(name), withValueAt(old[Number(name)], path, depth + 1, value));
  return isRecord(old) ? { ...old, [name]: withValueAt(old[name], path, depth + 1, value) } : old;
}
