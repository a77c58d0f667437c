import type { RepairId } from '../catalog.ts';
import type { RepairTool } from '../context.ts';
import { MAX_ARGUMENT_CHARS } from '../limits.ts';
import { isSpace } from '../white-space.ts';
import { Attempt, type AttemptVerdict, isTooMuch } from './attempt.ts';
import {
  type Construct,
  type FoundCalls,
  PLAIN_TEXT,
  REASONING_CHANNEL,
  type Region,
  type RegionSwitch,
  type ScannerState,
} from './construct.ts';
import { HeldCalls } from './held-calls.ts';
import { MarkdownState } from './markdown-state.ts';
import type { MarkerTable } from './marker-table.ts';
import type { CallSegment, Segment, TextScanner, TextScannerOptions } from './segment.ts';
import { SkippedBlock } from './skipped-block.ts';
import { TextBefore } from './text-before.ts';
import { OPEN_REASONING } from './think-tags.ts';

/**
 * Walks over the text and tries constructs at their markers. Found constructs become segments; everything else is text.
 */
export class Scanner implements TextScanner, ScannerState {
  readonly channel: ScannerState['channel'];
  readonly thinking: ScannerState['thinking'];
  readonly continues: boolean;
  readonly tools: ReadonlyMap<string, RepairTool>;
  region: Region;
  fresh: boolean;
  said = false;
  spoke = false;
  openTags = 0;
  markdown = new MarkdownState();

  readonly #onRepair: TextScannerOptions['onRepair'];
  readonly #isQuoted: TextScannerOptions['isQuoted'];
  readonly #reported = new Set<RepairId>();
  readonly #table: MarkerTable;
  #out: Segment[] = [];
  /** Whether the next piece is text, provided that no construct can begin in it. */
  #idle = false;
  /** Index in the whole text of the next character that is scanned or tried. */
  #at = 0;
  #attempt: Attempt | undefined;
  /** Block that may not run and is not over. */
  #skip: SkippedBlock | undefined;
  /** Text that may be the first part of a marker. */
  #pending = '';
  /** White space that is returned only if text follows, and whether more of it may come. */
  #space = '';
  #holds: boolean;
  /** Number of line breaks that still belong to a tag. */
  #newlines = 0;
  readonly #tail = new HeldCalls();
  /** Whether a block of calls turned out to be a quotation. Later blocks of the same text are quotations too. */
  #quotes = false;
  #isCut = false;
  #before = new TextBefore();
  /** Blocks that are calls if the message has nothing else. */
  #message: { readonly construct: Construct; readonly segments: CallSegment[]; readonly texts: string[] } | undefined;
  /** Whether something was removed from the text. */
  #removed = false;
  /**
   * Places where no construct is tried: the last refused index, and everything before the end of blocks that may not
   * run.
   */
  #refused = -1;
  #closedUpTo = 0;
  #readInVain = 0;

  constructor({ channel, thinking, continues, tools, isQuoted, onRepair }: TextScannerOptions, table: MarkerTable) {
    this.channel = channel;
    this.thinking = thinking;
    this.continues = continues;
    this.tools = tools;
    this.#onRepair = onRepair;
    this.#isQuoted = isQuoted;
    this.#table = table;
    this.fresh = channel === 'content';
    this.#holds = this.fresh;
    this.#idle = !this.fresh;
    this.region = channel === 'reasoning' ? REASONING_CHANNEL : thinking === 'open' ? OPEN_REASONING : PLAIN_TEXT;
  }

  get followsCalls(): boolean {
    return !this.#tail.isEmpty;
  }

  passes(text: string, type: 'text' | 'reasoning'): boolean {
    if (!this.#idle || this.region.type !== type || text === '') return false;
    if (this.#table.next(text, 0, this.markdown.lineStarts) !== text.length) return false;
    this.#read(text, 0, text.length);
    this.#at += text.length;
    return true;
  }

  push(text: string): readonly Segment[] {
    if (text === '') return [];
    const { type } = this.region;
    return this.passes(text, type) ? [{ type, text }] : this.#advance(text, false);
  }

  end(isCut = false): readonly Segment[] {
    this.#isCut = isCut;
    return this.#advance('', true);
  }

  #advance(piece: string, ended: boolean): readonly Segment[] {
    let text: string | undefined = this.#skip === undefined ? piece : this.#pass(this.#skip, piece, ended);
    while (text !== undefined) {
      if (this.#attempt === undefined) text = this.#scan(this.#pending + text, ended);
      if (this.#attempt === undefined || text === undefined) break;
      const verdict: AttemptVerdict | undefined = this.#attempt.feed(text) ?? (ended ? this.#attempt.end() : undefined);
      text = verdict === undefined ? undefined : this.#settle(verdict, this.#attempt);
    }
    this.#idle = this.#attempt === undefined && this.#skip === undefined && this.#pending === '' && !this.#holds;
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #pass(skip: SkippedBlock, piece: string, ended: boolean): string {
    const text = skip.pass(piece, ended);
    this.#closedUpTo = Math.max(this.#closedUpTo, skip.end);
    if (skip.over) this.#skip = undefined;
    return text;
  }

  /** Emits the text up to the next construct. Returns the text from there on; undefined if no construct begins. */
  #scan(text: string, ended: boolean): string | undefined {
    this.#pending = '';
    const from = this.#lead(text);
    let at = from;
    while (at < text.length) {
      const isHere = this.fresh || this.#message !== undefined;
      const next = isHere ? at : this.#table.next(text, at, this.markdown.lineStarts);
      if (next > at) this.#walk(text, at, next);
      if (next === text.length) break;
      const found = this.#constructsAt(text, next, ended);
      if (found !== 'wait' && found.length === 0) {
        at = next;
        if (this.#message !== undefined) this.#giveUpMessage();
        else this.#walk(text, next, ++at);
        continue;
      }
      this.#emit(text.slice(from, next));
      this.#at += next;
      if (found === 'wait') this.#pending = text.slice(next);
      else this.#attempt = new Attempt(found, this);
      return found === 'wait' ? undefined : text.slice(next);
    }
    this.#emit(text.slice(from));
    this.#at += text.length;
    if (ended) this.#finish();
    return undefined;
  }

  /** Reads the characters before the next visible one where they are not plain text. Returns the index after them. */
  #lead(text: string): number {
    let at = 0;
    while (this.#newlines > 0 && at < text.length) {
      const char = text[at];
      if (char === '\n') this.#newlines--;
      else if (char !== '\r') this.#newlines = 0;
      if (char === '\n' || char === '\r') at++;
    }
    if (!this.#holds) return at;
    const from = at;
    while (isSpace(text.charCodeAt(at))) at++;
    this.#space += text.slice(from, at);
    this.#read(text, from, at);
    return at;
  }

  #constructsAt(text: string, at: number, ended: boolean): readonly Construct[] | 'wait' {
    const index = this.#at + at;
    if (index === this.#refused) return [];
    const message = this.#message?.construct;
    const allows = (construct: Construct) =>
      message === undefined ? construct.isShort || index >= this.#closedUpTo : construct === message;
    return this.#table.at(text, at, { ended, state: this, allows });
  }

  /** Applies the result of an attempt. Returns the text that is to be scanned next. */
  #settle(verdict: AttemptVerdict, attempt: Attempt): string {
    const { text } = attempt;
    this.#attempt = undefined;
    if (verdict.type !== 'found') return this.#refuse(verdict, attempt);
    const { outcome, construct, read } = verdict;
    const before = this.region.type;
    const raw = outcome.type === 'calls' ? text.slice(0, read).trimEnd() : text.slice(0, read);
    this.#at += raw.length;
    if (outcome.type === 'calls') this.#found(outcome, construct, raw);
    else if (outcome.type === 'switch') this.#switch(outcome, raw);
    else if (outcome.type === 'end') this.#trail(raw);
    else this.#mention(outcome.openTags, raw);
    const rest = text.slice(raw.length);
    return before === 'reasoning' && this.region.type === 'text' ? rest + this.#leaveBlock() : rest;
  }

  /**
   * Handles a refused attempt. A refused block is text, with everything in it. A mere mention may be followed by a
   * construct, so scanning goes on right after it, but only as often as keeps the time in proportion to the text.
   */
  #refuse(verdict: Refusal, attempt: Attempt): string {
    this.#refused = this.#at;
    this.#closedUpTo = Math.max(this.#closedUpTo, this.#at + verdict.block);
    const { text } = attempt;
    if (verdict.type === 'hopeless') {
      this.#skip = new SkippedBlock(attempt, this.#at, verdict.block);
      return text.slice(0, verdict.block);
    }
    this.#readInVain += verdict.read;
    const end = this.#at + verdict.read;
    if (isTooMuch(this.#readInVain, end) || verdict.read >= MAX_ARGUMENT_CHARS)
      this.#closedUpTo = Math.max(this.#closedUpTo, end);
    return text;
  }

  /** Leaves a block that was begun in reasoning: the text after the reasoning does not belong to it. */
  #leaveBlock(): string {
    const held = this.#skip?.drop() ?? '';
    this.#skip = undefined;
    this.#closedUpTo = 0;
    return held;
  }

  #found({ id, kind, calls }: FoundCalls, construct: Construct, raw: string): void {
    const segment: CallSegment = {
      type: 'calls',
      id,
      kind,
      calls,
      within: this.region.type,
      raw,
      text: this.#space + raw,
    };
    if (kind === 'message') {
      this.#message ??= { construct, segments: [], texts: [] };
      this.#message.segments.push(segment);
      this.#message.texts.push(segment.text);
      this.#space = '';
    } else if (this.#isQuotation(id)) {
      this.#quotes = true;
      this.#plain(raw);
    } else {
      this.#hold(segment);
    }
  }

  /** Reports whether the text before a block shows that the block is a quotation. */
  #isQuotation(id: RepairId): boolean {
    if (this.#quotes) return true;
    // The header of a channel ends the channel before it.
    if (this.region.inChannel && id === 'D11') return false;
    return this.markdown.quoted || (this.#tail.isEmpty && this.#before.introduces);
  }

  #switch({ into, repair, newlines, parts = [] }: RegionSwitch, mark: string): void {
    for (const part of parts) this.#takePart(part);
    this.#leaveRegion(into);
    this.#report(repair, mark);
    this.#removed = true;
    this.region = into;
    this.markdown = new MarkdownState();
    this.#before = new TextBefore();
    this.fresh = true;
    // The text before the tag was not an answer.
    if (repair === 'E3') this.said = this.spoke = false;
    this.#holds = true;
    this.#space = '';
    this.#newlines = newlines;
  }

  #takePart(part: Segment): void {
    if (part.type === 'calls') this.#hold(part);
    else {
      this.#release();
      this.#out.push(part);
      if (part.type === 'text') this.said = this.spoke = true;
    }
  }

  /** Decides about the blocks at the end of a region. In reasoning they are the end of a text. */
  #leaveRegion({ type: next }: Region): void {
    if (this.region.type === 'reasoning' && next === 'text') {
      this.#settleTail();
      this.#quotes = false;
    } else if (next === 'reasoning') this.#release();
    else this.#trail('');
  }

  #mention(openTags: number, raw: string): void {
    this.openTags += openTags;
    this.#plain(raw);
  }

  #report(id: RepairId, before: string): void {
    // A second closing tag does not show where the reasoning began.
    if (this.#reported.has(id) || (id === 'E3' && this.#reported.has('E2'))) return;
    this.#reported.add(id);
    this.#onRepair(id, before.slice(0, MOST_REPORTED), '');
  }

  /** Keeps a block until it is clear what follows it. */
  #hold(segment: CallSegment): void {
    this.#tail.hold(segment);
    this.fresh = false;
    if (this.region.type === 'text') this.said = true;
    this.#holds = true;
    this.#space = '';
    this.markdown.passBlock();
  }

  /** Adds text to the held blocks that disappears with them. */
  #trail(raw: string): void {
    if (this.#tail.isEmpty) return;
    this.#tail.trail(this.#space + raw);
    this.#space = '';
  }

  /** Emits the held blocks as text, because something else follows them. */
  #release(): void {
    const blocks = this.#tail.take();
    if (blocks.length === 0) return;
    const text = blocks.map((block) => block.text).join('');
    this.#quotes = true;
    this.#read(text, 0, text.length);
    this.#emit(text, blocks[0]?.within);
  }

  /** Emits the held blocks as calls at the end of their text, unless the model only repeats them. */
  #settleTail(): void {
    this.#trail('');
    const calls = this.#tail.segments.flatMap((segment) => segment.calls);
    if (this.#isCut || calls.some((call) => this.#isQuoted(call))) this.#release();
    else if (calls.length > 0) {
      this.#out.push(...this.#tail.take());
      this.#removed = true;
    }
  }

  /** Makes text of a message that has more than calls. */
  #giveUpMessage(): void {
    const text = this.#message?.texts.join('') ?? '';
    this.#message = undefined;
    this.#refused = -1;
    const space = this.#space;
    this.#space = '';
    this.markdown = new MarkdownState();
    this.#plain(text + space);
  }

  #plain(text: string): void {
    this.#walk(text, 0, text.length);
    this.#emit(text);
  }

  /** Walks over visible text, and emits the white space that was held before it. */
  #walk(text: string, from: number, to: number): void {
    if (this.#holds) {
      this.#release();
      this.#emit(this.#space);
      this.#space = '';
      this.#holds = false;
      this.fresh = false;
      if (this.region.type === 'text') this.said = this.spoke = true;
    }
    this.#read(text, from, to);
  }

  #read(text: string, from: number, to: number): void {
    this.markdown.walk(text, from, to);
    this.#before.add(text.slice(from, to));
  }

  #emit(text: string, type: 'text' | 'reasoning' = this.region.type): void {
    if (text === '') return;
    const last = this.#out.at(-1);
    if (last?.type === type) this.#out[this.#out.length - 1] = { type, text: last.text + text };
    else this.#out.push({ type, text });
  }

  #finish(): void {
    const space = this.#space;
    for (const segment of this.#message?.segments ?? []) this.#hold(segment);
    this.#space = space;
    this.#message = undefined;
    this.#settleTail();
    if (!this.#removed) this.#emit(this.#space);
    this.#space = '';
  }
}

type Refusal = Exclude<AttemptVerdict, { readonly type: 'found' }>;

const MOST_REPORTED = 200;
