import { isRecord } from '../../base/json-schema.ts';
import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { frameValue, withValue } from '../../wire/framing/frames.ts';
import { SILENT_CHUNK } from '../chat/borrow-repair.ts';
import { readReasoning } from '../chat/reasoning-fields.ts';
import { isSet, textOf, wordOf } from '../field-values.ts';
import { foreignProtocol } from '../foreign-protocol.ts';
import { createGrowingText, type GrowingTextOptions, type GrownPiece, TELLING_PIECES } from '../growing-text.ts';
import type { RepairReporter } from '../report.ts';
import { readDone } from './done-reasons.ts';
import { readCalls } from './line-calls.ts';
import { type LineFrame, type LineReading, type LineStep, lineFrame } from './step.ts';

/** Reads the lines of one answer as chunks that mean the same. */
export class LineReader {
  readonly #reporter: RepairReporter;
  #hasBegun = false;
  #foreign: string | undefined;
  #calls = 0;
  /** Texts of the lines, as long as they may repeat each other. */
  readonly #texts = createGrowingText<LineFrame>(GROWING_TEXT);

  constructor(reporter: RepairReporter) {
    this.#reporter = reporter;
  }

  /** The sentence about another protocol, if nothing of this one has come. */
  get foreign(): string | undefined {
    return this.#hasBegun ? undefined : this.#foreign;
  }

  /** Whether lines need not be compared with the text before them. */
  get isSettled(): boolean {
    return !this.#texts.isOpen();
  }

  read(frame: Frame, value: Fields): readonly LineReading[] {
    const { error, ...rest } = value;
    // Clients take the field for a failure, whatever it says.
    if (error === null) {
      this.#reporter.report('B12', { before: value, after: rest });
      return this.read(lineFrame(rest), rest);
    }
    const { data } = value;
    if (isSet(value.error)) {
      this.#hasBegun = true;
      return [...this.#release(), this.#readError(frame, value)];
    }
    if (!isLine(value) && isRecord(data) && isLine(data)) {
      this.#reporter.report('F12', { before: value, after: data });
      return this.#readLine(lineFrame(data));
    }
    if (isLine(value)) return this.#readLine({ data: frame.data, json: value });
    const foreign = foreignProtocol(value, 'ollama');
    this.#foreign ??= foreign;
    if (foreign !== undefined) return [];
    const other: LineReading = {
      chunk: SILENT_CHUNK,
      step: { type: 'other', frame: { data: frame.data, json: value } },
    };
    return [...this.#release(), other];
  }

  /** Reads data that is not a JSON object. Some servers write server-sent events (I11). */
  readData(data: string): readonly LineReading[] {
    const [, field, rest = ''] = EVENT_LINE.exec(data) ?? [];
    if (field === undefined) return [...this.#release(), { chunk: data, step: { type: 'data' } }];
    this.#reporter.report('I11', { before: data, after: rest });
    if (field !== 'data' || rest === '') return [];
    const frame = { data: rest };
    const value = frameValue(frame);
    return isRecord(value) ? this.read(withValue(frame, value), value) : this.readData(rest);
  }

  /** Returns everything that waits when the connection ends. */
  end(): readonly LineReading[] {
    return this.#release();
  }

  #readLine(frame: LineFrame): readonly LineReading[] {
    this.#hasBegun = true;
    const line = this.#soundLine(frame.json);
    const sound = line === frame.json ? frame : lineFrame(line);
    const compared = this.#texts.isOpen() ? this.#withoutRepetition(sound) : [sound];
    return compared.flatMap((one) => this.#readings(one));
  }

  #readings(frame: LineFrame): readonly LineReading[] {
    const { json: line } = frame;
    const { content, thinking, tool_calls } = messageIn(line);
    const list = Array.isArray(tool_calls) ? tool_calls : undefined;
    const { calls, pieces, isWhole } = readCalls(list ?? [], this.#calls, this.#reporter);
    this.#calls += pieces.length;
    const sound = calls === (list ?? calls) ? frame : lineFrame(withMessage(line, { tool_calls: calls }));
    const delta = {
      role: 'assistant',
      ...(isSet(thinking) && { reasoning_content: thinking }),
      ...(isSet(content) && { content }),
      ...(list !== undefined && { tool_calls: pieces }),
    };
    const step: LineStep = { type: 'said', frame: sound, delta, isWhole };
    const said: LineReading = {
      chunk: { head: headOf(line), choices: [{ index: 0, delta, finish_reason: null }] },
      step,
    };
    if (line.done !== true) return [said];
    const isSilent = list === undefined && !content && !thinking;
    return isSilent ? [this.#readDone(sound, undefined)] : [said, this.#readDone(sound, step)];
  }

  #readDone(frame: LineFrame, said: LineStep | undefined): LineReading {
    const { json: line } = frame;
    const { reason, finish } = readDone(line.done_reason, this.#calls > 0, this.#reporter);
    const sound = reason === line.done_reason ? frame : lineFrame({ ...line, done_reason: reason });
    const choice = { index: 0, delta: {}, finish_reason: finish, line: sound.json };
    return { chunk: { head: headOf(line), choices: [choice] }, step: { type: 'done', frame: sound, said } };
  }

  #readError(frame: Frame, value: Fields): LineReading {
    const { error } = value;
    const isSound = typeof error === 'string';
    const sound = isSound ? value : { error: messageOf(error), ...(isRecord(error) && codeOf(error)) };
    if (!isSound) this.#reporter.report('F10', { before: value, after: sound });
    const step = { type: 'error', frame: isSound ? { data: frame.data, json: value } : lineFrame(sound) } as const;
    return { chunk: { error }, step };
  }

  /** Returns the line with its texts in the fields for them (B12, E1), and with its end. */
  #soundLine(line: Fields): Fields {
    const isEnd = !isSet(line.done) && (line.done_reason === 'stop' || line.done_reason === 'length');
    if (isEnd) this.#reporter.report('B12', { before: { done: null }, after: { done: true } });
    const ended = isEnd ? { ...line, done: true } : line;
    return this.#withTexts(this.#withThinking(ended));
  }

  #withThinking(line: Fields): Fields {
    const message = messageIn(line);
    const { reasoning, reasoning_content, ...rest } = message;
    const thinking = reasoning_content ?? reasoning;
    if (!isSet(thinking) || isSet(message.thinking)) return line;
    this.#reporter.report('E1', { before: message, after: { thinking } });
    return { ...line, message: { ...rest, thinking } };
  }

  /** Leaves out fields in which nothing can be read. An empty text stays. */
  #withTexts(line: Fields): Fields {
    const { content, thinking, tool_calls } = messageIn(line);
    const texts = {
      ...(!(isReadable(content) || Array.isArray(content)) && { content: '' }),
      ...(!(isReadable(thinking) || readReasoning({ reasoning_content: thinking }).thought) && { thinking: '' }),
      ...(isSet(tool_calls) && !Array.isArray(tool_calls) && { tool_calls: undefined }),
    };
    if (Object.keys(texts).length === 0) return line;
    this.#reporter.report('B12', { before: messageIn(line), after: texts });
    return withMessage(line, texts);
  }

  /** Returns the lines that are certain, without text that was already sent (I12). */
  #withoutRepetition(frame: LineFrame): readonly LineFrame[] {
    const { content, thinking, tool_calls } = messageIn(frame.json);
    const isPlain = typeof content === 'string' && content !== '' && !isSet(tool_calls) && !thinking;
    if (!isPlain) return [...this.#lines(this.#texts.end()), frame];
    const lines = this.#lines(this.#texts.push(content, frame));
    return frame.json.done === true ? [...lines, ...this.#lines(this.#texts.end())] : lines;
  }

  #lines(pieces: readonly GrownPiece<LineFrame>[]): readonly LineFrame[] {
    return pieces.map(({ piece, said, repeats }) => {
      if (!repeats) return piece;
      this.#reporter.report('I12', { before: messageIn(piece.json).content, after: said });
      return lineFrame(withMessage(piece.json, { content: said }));
    });
  }

  #release(): readonly LineReading[] {
    return this.#lines(this.#texts.end()).flatMap((frame) => this.#readings(frame));
  }
}

const GROWING_TEXT: GrowingTextOptions = {
  isTold: (pieces) => pieces.length >= TELLING_PIECES || isTelling(pieces.at(-2) ?? ''),
  isToldAtEnd: () => false,
};

/** Reports whether a text is too long and too varied for the next piece to begin with it by chance. */
function isTelling(text: string): boolean {
  return text.length >= 16 && new Set(text).size >= 8;
}

const EVENT_LINE = /^(data|event|id|retry|):\s*(.*)$/s;

function isReadable(text: unknown): boolean {
  return text === undefined || typeof text === 'string';
}

/** Reports whether a value is a line of this wire. The answer to a prompt has its text in the line itself. */
function isLine({ message, response, done }: Fields): boolean {
  return isRecord(message) || done === true || (typeof response === 'string' && isSet(done));
}

/** Returns the texts and calls of a line. */
export function messageIn(line: Fields): Fields {
  return isRecord(line.message) ? line.message : { content: line.response, thinking: line.thinking };
}

/** Returns a line with other fields in its message. */
export function withMessage(line: Fields, fields: Fields): Fields {
  if (isRecord(line.message)) return { ...line, message: { ...line.message, ...fields } };
  const { content, ...rest } = fields;
  return { ...line, ...rest, ...(content !== undefined && { response: content }) };
}

/** Returns the fields of a line that every line has. `response`: the form of an answer to a prompt. */
export function headOf({ model, created_at, message, response }: Fields): Fields {
  const head: Record<string, unknown> = {};
  if (model !== undefined) head.model = model;
  if (created_at !== undefined) head.created_at = created_at;
  if (message === undefined && typeof response === 'string') head.response = '';
  return head;
}

function messageOf(error: unknown): string {
  if (!isRecord(error)) return 'The server reported a failure and did not say which.';
  return wordOf(error.message) ?? textOf(error.error) ?? messageOf(undefined);
}

function codeOf({ code, type }: Fields): Fields {
  const word = [code, type].find((value) => typeof value === 'string' || typeof value === 'number');
  return word === undefined ? {} : { code: word };
}
