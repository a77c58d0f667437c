import type { Fields } from '../../wire/fields/request-fields.ts';
import type { RepairFinding } from '../report.ts';
import { createTextScanner } from '../text/create-text-scanner.ts';
import type { CallSegment, Segment, TextScanner } from '../text/segment.ts';
import { restFrame, type Unit, unitWith } from './chunk.ts';
import { type CumulativeDeltas, createCumulativeDeltas } from './cumulative-deltas.ts';
import { createHeldText, type HeldText } from './held-text.ts';
import type { ReadFinish } from './read-finish.ts';
import { type ReasoningName, withReasoning } from './reasoning-fields.ts';
import { type Calls, createCalls } from './repair-calls.ts';
import type { ChatRepairState } from './response-state.ts';

/** State of one choice of a response. */
export interface Choice {
  readonly response: ChatRepairState;
  readonly calls: Calls;
  readonly content: TextChannel;
  readonly reasoning: TextChannel;
  readonly snapshots: CumulativeDeltas;
  /** Calls in the answer. The end of the response decides whether they count. */
  found: CallSegment[];
  /** Calls in reasoning, and the reasoning after them. They count unless text follows. */
  deferred: Segment[];
  /** Whether text has come that is more than white space. */
  hasText: boolean;
  /** Whether reasoning has come in a field of its own. */
  hasReasoning: boolean;
  /** Name of the field in which reasoning came last. */
  reasoningName: ReasoningName;
  /** Reasoning that may turn out to be the answer; undefined where it cannot. */
  thoughts: string[] | undefined;
  /** Last details that came next to a text, and the shape of the last details of all. */
  readonly details: { text: string; shape: string };
  /** Reasoning that came in details only: a repair (E1), unless the details turn out to repeat themselves (E6). */
  unreported: RepairFinding | undefined;
  /** Whether the text counts as reasoning up to a closing tag, and no tag has come yet. */
  isGuess: boolean;
  /** Last unit, from which further ones are written. */
  last: Unit;
  /** First finish signal, and the word that went out for it. */
  finish: { readonly read: ReadFinish; readonly word: string } | undefined;
  /** Whether nothing has come after the last finish signal. */
  isStopped: boolean;
  /** Number of calls that the finish signal covers. */
  finishedCalls: number;
  /** Whether the call comes in the old form (B13). */
  isLegacy: boolean;
}

export interface TextChannel {
  /** Type of the segments that are plain text of this channel. */
  readonly type: 'text' | 'reasoning';
  readonly held: HeldText;
  /** Undefined while the channel is closed. */
  scanner: TextScanner | undefined;
}

export function createChoice(response: ChatRepairState, first: Unit): Choice {
  const { queue, context } = response;
  const { tools } = context;
  return {
    response,
    calls: createCalls(response),
    content: { type: 'text', held: createHeldText({ queue, write: writeContent }), scanner: undefined },
    reasoning: { type: 'reasoning', held: createHeldText({ queue, write: writeReasoning }), scanner: undefined },
    snapshots: createCumulativeDeltas(),
    found: [],
    deferred: [],
    details: { text: '', shape: '' },
    unreported: undefined,
    hasText: false,
    hasReasoning: false,
    reasoningName: 'reasoning_content',
    thoughts: tools.size === 0 ? [] : undefined,
    isGuess: false,
    last: first,
    finish: undefined,
    isStopped: false,
    finishedCalls: 0,
    isLegacy: false,
  };
}

/** Returns the scanner of the answer's text. */
export function contentScanner(choice: Choice): TextScanner {
  choice.content.scanner ??= openScanner(choice, 'content');
  return choice.content.scanner;
}

/** Returns the scanner of the reasoning. */
export function reasoningScanner(choice: Choice): TextScanner {
  choice.reasoning.scanner ??= openScanner(choice, 'reasoning');
  return choice.reasoning.scanner;
}

function openScanner(choice: Choice, channel: 'content' | 'reasoning'): TextScanner {
  const { context, reporter } = choice.response;
  const { memory, tools, textCalls, isQuoted } = context;
  const thinking = channel === 'content' ? thinkingOf(choice) : 'text';
  return createTextScanner({
    channel,
    tools,
    thinking,
    textCalls,
    continues: choice.hasText,
    isQuoted,
    onRepair(id, before, after) {
      if (id === 'E3') memory.startsThinking = true;
      if (channel === 'content' && (id === 'E2' || id === 'E3')) confirmThinking(choice);
      reporter.report(id, { before, after });
    },
  });
}

function thinkingOf(choice: Choice): 'tags' | 'open' | 'text' {
  const { compat, memory } = choice.response.context;
  // Reasoning stands at the beginning of an answer.
  if (choice.hasText || compat.thinking === 'text') return 'text';
  // A server that has a field for reasoning does not leave it in the text.
  if (choice.hasReasoning) return 'tags';
  choice.isGuess = compat.thinking === 'open' || memory.startsThinking;
  if (choice.isGuess) choice.thoughts ??= [];
  return choice.isGuess ? 'open' : 'tags';
}

/** Notes that a tag has come, so the text before it is reasoning. */
function confirmThinking(choice: Choice): void {
  if (choice.isGuess && choice.response.context.tools.size > 0) choice.thoughts = undefined;
  choice.isGuess = false;
}

function writeContent(unit: Unit, content: string) {
  if (content !== '') return unitWith(unit, { ...unit.delta, content }).frame;
  const { content: _, ...rest } = unit.delta;
  return restFrame(unit, rest);
}

function writeReasoning(unit: Unit, thought: string) {
  if (thought !== '') return unitWith(unit, withReasoning(unit.delta, thought)).frame;
  // Details that add nothing are repeated by the details that follow.
  const { reasoning_details, ...rest } = withReasoning(unit.delta, '');
  return restFrame(unit, rest);
}

/** Returns the fields of a delta besides text, reasoning and calls. */
export function restOf(delta: Fields): Fields {
  const { content, reasoning_content, reasoning, reasoning_details, tool_calls, function_call, ...rest } = delta;
  return rest;
}
