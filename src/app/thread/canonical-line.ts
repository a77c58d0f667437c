import { type CallOutputItem, type ContentPart, type Item, isCallOutput } from '../../base/item.ts';
import { itemText } from '../../base/item-text.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { EventMessage, LogLine, OxbowLine, TokenCounts } from '../../base/log.ts';
import { WrongShape } from '../../log/rollout-line.ts';
import { metaOf } from '../../log/rollout-meta.ts';
import { canonicalItem, canonicalType } from '../../wire/responses/canonical-item.ts';

/**
 * Returns a line of any program, reduced to fields that can be folded and sent back. Returns undefined for a line of no
 * use. Throws `WrongShape` for a useful line that is damaged.
 */
export function canonicalLine(line: LogLine): LogLine | undefined {
  switch (line.type) {
    case 'session_meta':
      return canonicalMeta(line);
    case 'turn_context':
      requireThat(isText(line.payload.model) && isText(line.payload.cwd), 'it names no model or no folder');
      return line;
    case 'response_item': {
      const payload = itemOf(line.payload);
      const { metadata, ...rest } = line;
      return payload && { ...rest, payload, ...(isRecord(metadata) ? { metadata } : {}) };
    }
    case 'event_msg':
      return canonicalEvent(line.payload) ? line : undefined;
    case 'compacted': {
      const { replacement_history: history, ...rest } = line.payload;
      if (history === undefined || history === null) {
        requireThat(isText(rest.message), 'it has no summary');
        return { ...line, payload: rest };
      }
      requireThat(Array.isArray(history), 'its history is not a list');
      return { ...line, payload: { ...rest, replacement_history: history.flatMap((item) => itemOf(item) ?? []) } };
    }
    case 'oxbow':
      return { ...line, payload: canonicalOwn(line.payload) };
  }
}

function requireThat(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new WrongShape(otherwise);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isTextOrNull = (value: unknown) => value === null || isText(value);

function canonicalMeta(line: LogLine & { readonly type: 'session_meta' }): LogLine {
  requireThat(metaOf(line) !== undefined, 'it does not say what thread this is');
  const { base_instructions: instructions, ...rest } = line.payload;
  if (instructions === undefined || isText((instructions as { text?: unknown } | null)?.text)) return line;
  return { ...line, payload: rest };
}

/** Returns undefined for items of a kind that is not sent back. */
function itemOf(value: unknown): Item | undefined {
  if (isRecord(value) && isText(value.type) && canonicalType(value) === undefined) return undefined;
  const item = canonicalItem(value);
  requireThat(item !== undefined && canBeWritten(item), 'its item is damaged');
  return item;
}

/** Reports whether an item can be written as JSON. An item that is nested too deep cannot. */
function canBeWritten(item: Item): boolean {
  try {
    return itemText(item).length > 0;
  } catch {
    return false;
  }
}

/** Reports whether an event is of use. */
function canonicalEvent(event: EventMessage): boolean {
  switch (event.type) {
    case 'task_started':
    case 'task_complete':
    case 'turn_aborted':
      return true;
    case 'user_message':
      requireThat(isText(event.message), 'it has no message');
      return true;
    case 'thread_rolled_back':
      requireThat(isCount(event.num_turns), 'it does not say how many turns');
      return true;
    case 'token_count': {
      // Codex writes the line without `info` when it only learned of rate limits.
      if (!event.info) return false;
      const { total_token_usage: total, last_token_usage: last } = event.info;
      requireThat(areCounts(total) && areCounts(last), 'its tokens are not numbers');
      return true;
    }
    default:
      return false;
  }
}

const COUNTS: readonly (keyof TokenCounts)[] = [
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
  'total_tokens',
];

function areCounts(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { cache_write_input_tokens: written } = value;
  return COUNTS.every((name) => isCount(value[name])) && (written === undefined || isCount(written));
}

/** Reports whether a question has the fields that an answer is checked against. */
function isAsk(value: unknown): boolean {
  if (!isRecord(value) || !isText(value.id) || !isRecord(value.action) || !Array.isArray(value.scopes)) return false;
  return isText(value.action.kind) && value.scopes.every((one) => isRecord(one) && isRecord(one.scope));
}

function canonicalOwn(line: OxbowLine): OxbowLine {
  switch (line.kind) {
    case 'call.started':
      requireThat(isText(line.call_id), 'it names no call');
      return line;
    case 'ask.suspended':
      requireThat(isText(line.call_id) && isAsk(line.ask), 'its question is damaged');
      return line;
    case 'call.finished': {
      const output = itemOf(line.output);
      requireThat(output !== undefined && isCallOutput(output) && isRecord(line.metadata), 'its output is damaged');
      return { ...line, output: output as CallOutputItem };
    }
    case 'request.started':
      requireThat(isCount(line.request), 'it has no number');
      return line;
    case 'prefix.changed':
      requireThat([line.instructions, line.tools].every(isTextOrMissing), 'its changes are not texts');
      return line;
    case 'input.queued':
    case 'input.edited':
      return { ...line, ...queuedInput(line) };
    case 'input.removed':
      requireThat(isText(line.id), 'it names no input');
      return line;
    case 'command.started':
    case 'command.ended':
      requireThat(isText(line.id) && isRecord(line.item), 'it names no command');
      requireThat(line.kind === 'command.started' || isTextOrMissing(line.text), 'its text is not a text');
      return line;
    case 'output.refused':
      requireThat(Array.isArray(line.faults) && line.faults.every(isText), 'its faults are not texts');
      return line;
    case 'checkpoint':
      requireThat([line.turns, line.requests].every(isCount) && areCounts(line.usage), 'its counts are not numbers');
      requireThat([line.instructions, line.tools].every(isTextOrNull), 'its instructions are not texts');
      requireThat(Array.isArray(line.queue), 'its queue is not a list');
      requireThat((line.commands ?? []).every(isUntold), 'its commands are damaged');
      return { ...line, queue: line.queue.map(queuedInput) };
    default:
      requireThat(isText((line as { kind?: unknown }).kind), 'it does not say what it is');
      return line;
  }
}

const isUntold = (value: unknown) =>
  isRecord(value) && isText(value.id) && isRecord(value.item) && isTextOrNull(value.text);
const isTextOrMissing = (value: unknown) => value === undefined || isText(value);

function queuedInput(value: unknown): { id: string; content: readonly ContentPart[] } {
  requireThat(isRecord(value) && isText(value.id), 'it names no input');
  const message = canonicalItem({ type: 'message', role: 'user', content: value.content });
  requireThat(message?.type === 'message', 'its input is damaged');
  return { id: value.id, content: message.content };
}
