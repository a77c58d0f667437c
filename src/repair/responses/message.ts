import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf } from '../field-values.ts';
import type { CallSegment, Segment } from '../text/segment.ts';
import { compareWithItems } from './call-items.ts';
import { hasHole, noteLoss } from './damaged-frame.ts';
import {
  beginInlineReasoning,
  continueInlineReasoning,
  endInlineReasoning,
  type InlineReasoning,
} from './inline-reasoning.ts';
import { baseOf, type OpenMessage } from './open-item.ts';
import { openScanner } from './open-scanner.ts';
import type { ResponsesRepairState } from './response-state.ts';
import { reportTextCall } from './text-calls.ts';
import { TextPart } from './text-part.ts';

/** Opens the message that an event announces. */
export function openMessage(event: Fields, response: ResponsesRepairState): OpenMessage {
  return new Message(event, response);
}

class Message implements OpenMessage {
  readonly type = 'message';
  readonly announced: Fields;
  readonly id: string | undefined;
  readonly index: unknown;
  readonly parts = new Map<number, TextPart>();
  found: CallSegment[] = [];
  said = false;
  readonly #response: ResponsesRepairState;
  /** Whether an event of the message came before its end. */
  readonly #isAnnounced: boolean;
  /** Parts that the calls were found in. */
  readonly #homes = new Map<CallSegment, TextPart>();
  /** Reasoning that stood in the text, while more of it may come. */
  #reasoning: InlineReasoning | undefined;

  constructor(event: Fields, response: ResponsesRepairState) {
    const { announced, id, index } = baseOf(fieldsOf(event.item), event);
    this.announced = announced;
    this.id = id;
    this.index = index;
    this.#response = response;
    this.#isAnnounced = event.type !== 'response.output_item.done';
  }

  get isTouched(): boolean {
    for (const part of this.parts.values()) if (part.touched) return true;
    return false;
  }

  get vanishes(): boolean {
    return !this.said && this.#response.output.waitsFor(this) && this.isTouched;
  }

  part(index: unknown): TextPart {
    const key = typeof index === 'number' ? index : 0;
    const known = this.parts.get(key);
    if (known !== undefined) return known;
    const part: TextPart = new TextPart({
      scanner: openScanner({ channel: 'content', thinking: this.#thinking() }, this.#response),
      output: this.#response.output,
      amount: this.#response.text,
      plain: 'text',
      trimsStart: true,
      onText: () => {
        this.said = true;
        this.#closeReasoning(true);
        part.announcesText = false;
        this.#quoteEarlier(part);
      },
      onOther: (segment) => this.#take(segment, part),
    });
    this.parts.set(key, part);
    return part;
  }

  endPart(part: TextPart, whole: string): void {
    if (part.ended) return;
    part.end(whole);
    // Calls that came as items in the meantime take precedence over calls in the text.
    const found = this.found;
    this.found = [];
    for (const segment of found) this.#takeCalls(segment, this.#homes.get(segment) ?? part);
    this.#takeBackGuess(part);
    this.#closeReasoning(this.said || this.found.length > 0);
    part.settle(this.vanishes);
  }

  /**
   * Returns how the scanner reads think tags. Only the beginning of an answer may be reasoning without an opening tag.
   */
  #thinking(): 'tags' | 'open' | 'text' {
    const { context, completed } = this.#response;
    const { compat, memory } = context;
    if (this.parts.size > 0 || compat.thinking === 'text') return 'text';
    return completed.length === 0 && (compat.thinking === 'open' || memory.startsThinking) ? 'open' : 'tags';
  }

  /** Emits the blocks that ended earlier texts: they are not the end of the answer. */
  #quoteEarlier(part: TextPart): void {
    const { found } = this.#response;
    // A message that comes as a whole may repeat an earlier one.
    if (this.#isAnnounced) for (const { text } of found.splice(0)) this.#insert(text, part);
    const own = this.found;
    this.found = [];
    for (const block of own) this.#insert(block.text, this.#homes.get(block) ?? part);
  }

  /** Emits text out of turn: more of a part that has ended, or the beginning of one that has just begun. */
  #insert(delta: string, part: TextPart): void {
    part.insert(delta);
    const [content_index = 0] = [...this.parts].find(([, known]) => known === part) ?? [];
    const place = { item_id: this.id, output_index: this.index, content_index };
    if (this.#isAnnounced) this.#response.output.make('response.output_text.delta', { ...place, delta });
  }

  #take(segment: Segment, part: TextPart): void {
    if (segment.type === 'calls') this.#takeCalls(segment, part);
    else {
      part.touch();
      part.announcesText = true;
      this.#reasoning ??= beginInlineReasoning(this.#response);
      continueInlineReasoning(this.#reasoning, segment.text, this.#response);
    }
  }

  #takeCalls(segment: CallSegment, part: TextPart): void {
    const { reporter, cutOff } = this.#response;
    const given = compareWithItems(segment, this.#response);
    if (given === 'none' && hasHole(this, this.#response)) {
      part.touch();
      noteLoss(this.#response);
      return;
    }
    if (given !== 'same' && (given === 'others' || cutOff)) {
      part.send(segment.text);
      return;
    }
    part.touch();
    if (given === 'same') {
      reportTextCall(segment, { after: '' }, reporter);
    } else if (segment.within === 'reasoning' && this.#reasoning !== undefined) {
      this.#reasoning.calls.push(segment);
    } else {
      this.#closeReasoning(true);
      this.found.push(segment);
      this.#homes.set(segment, part);
    }
  }

  /**
   * Emits reasoning as the answer if it was a guess. The text counted as reasoning because earlier answers began with
   * it, and no tag closed it.
   */
  #takeBackGuess(part: TextPart): void {
    const { context, closedThinking, reporter } = this.#response;
    const isGuess = context.compat.thinking === 'tags' && context.memory.startsThinking && !closedThinking;
    if (!isGuess || this.#reasoning === undefined || this.said || this.found.length > 0) return;
    context.memory.startsThinking = false;
    const text = this.#reasoning.pieces.join('');
    reporter.report('E11', { before: text, after: text });
    part.send(text);
  }

  /** Ends the reasoning of the message. If an answer follows it, the calls in the reasoning were only thought of. */
  #closeReasoning(answered: boolean): void {
    const reasoning = this.#reasoning;
    if (reasoning === undefined) return;
    this.#reasoning = undefined;
    if (answered) for (const { text } of reasoning.calls) continueInlineReasoning(reasoning, text, this.#response);
    else this.#response.foundInReasoning.push(...reasoning.calls);
    endInlineReasoning(reasoning, this.#response);
  }
}
