import { isFromUser } from '../../base/is-from-user.ts';
import { type ContentPart, type MessageItem, messageText } from '../../base/item.ts';
import type { LogLine, OxbowLine, TurnContext } from '../../base/log.ts';
import type { LimitSettings } from '../state/limits.ts';
import type { RecordedLine } from './recorded-line.ts';

/** The request for a turn, as far as its lines show it. */
export interface TurnFacts {
  /** Whether the turn was only asked to compact the history. */
  readonly compacts: boolean;
  /** Input of the turn. Empty if it had only queued input. */
  readonly input: readonly ContentPart[];
  readonly context: TurnContext | null;
  /** New base instructions of the turn. */
  readonly instructions: string | undefined;
  readonly limits: LimitSettings;
  /** Id of the question that the turn answers. */
  readonly answers: string | undefined;
}

export function turnFacts(recorded: readonly RecordedLine[]): TurnFacts {
  const lines = recorded.map(({ line }) => line);
  const own = lines.flatMap((line) => (line.type === 'oxbow' ? [line.payload] : []));
  const messages = lines.filter((_, index) => isSaid(lines, index));
  const changes = own.filter((line) => line.kind === 'prefix.changed');
  const answers = own.find((line) => line.kind === 'turn.continued')?.ask_id;
  return {
    answers,
    compacts: answers === undefined && messages.length === 0 && compacts(lines, own),
    input: messages.length === 0 && !isComplete(lines) ? UNSAID : contentOf(messages.find((line) => !isQueued(line))),
    context: lines.find((line) => line.type === 'turn_context')?.payload ?? null,
    instructions: changes.find(({ instructions }) => instructions !== undefined)?.instructions,
    limits: limitsOf(own),
  };
}

/** Input of a turn that ended before its input was recorded. The real input is unknown. */
const UNSAID: readonly ContentPart[] = [{ type: 'input_text', text: '' }];

function isComplete(lines: readonly LogLine[]): boolean {
  return lines.some((line) => line.type === 'event_msg' && line.payload.type === 'task_complete');
}

/**
 * Reports whether a turn without messages was asked to compact. A turn whose queued input was removed has no messages
 * either, but asks for nothing.
 */
function compacts(lines: readonly LogLine[], own: readonly OxbowLine[]): boolean {
  if (lines.some((_, index) => isContext(lines, index))) return false;
  if (own.some((line) => line.kind === 'request.started')) return true;
  return isComplete(lines) && !own.some(({ kind }) => kind === 'input.removed');
}

function isQueued(line: LogLine): boolean {
  return line.type === 'response_item' && line.metadata?.queued !== undefined;
}

/**
 * Reports whether a line is a message of the user. The next line then shows it as one, unless the process died in
 * between.
 */
function isSaid(lines: readonly LogLine[], index: number): boolean {
  const [line, next] = [lines[index], lines[index + 1]];
  if (!isOurMessage(line)) return false;
  return next ? next.type === 'event_msg' && next.payload.type === 'user_message' : isFromUser(line.payload);
}

/** Reports whether a line is a message with context for the model. */
export function isContext(lines: readonly LogLine[], index: number): boolean {
  const line = lines[index];
  return isOurMessage(line) && !line.metadata?.command && !isSaid(lines, index) && !isInterruption(lines, index);
}

/** Reports whether a line is the note for the model that its turn was interrupted. */
export function isInterruption(lines: readonly LogLine[], index: number): boolean {
  const line = lines[index];
  if (!isOurMessage(line) || isSaid(lines, index)) return false;
  return messageText(line.payload).startsWith('<turn_aborted>');
}

function isOurMessage(
  line: LogLine | undefined,
): line is LogLine & { readonly type: 'response_item'; readonly payload: MessageItem } {
  if (line?.type !== 'response_item' || line.payload.type !== 'message') return false;
  return line.payload.role === 'user' || line.payload.role === 'developer';
}

function contentOf(line: LogLine | undefined): readonly ContentPart[] {
  return line?.type === 'response_item' && line.payload.type === 'message' ? line.payload.content : [];
}

/** Returns the limit that a turn reached. A time limit is left out, because the clock of a replay stands still. */
function limitsOf(own: readonly OxbowLine[]): LimitSettings {
  const limit = own.find((line) => line.kind === 'turn.failed')?.limit;
  return limit === undefined || limit.kind === 'time' ? {} : { [SETTINGS[limit.kind]]: limit.value };
}

const SETTINGS = { requests: 'maxRequests', tokens: 'maxTokens', cost: 'maxCost' } as const;
