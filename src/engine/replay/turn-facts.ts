import { isFromUser } from '../../base/is-from-user.ts';
import { type ContentPart, type MessageItem, messageText } from '../../base/item.ts';
import type { LogLine, OxbowLine, TurnContext } from '../../base/log.ts';
import type { LimitSettings } from '../state/limits.ts';
import type { RecordedLine } from './recorded-line.ts';

/** What a turn was asked for, as its lines tell it. */
export interface TurnFacts {
  /** Whether it was asked for nothing but a shorter history. */
  readonly compacts: boolean;
  /** Empty where only queued input was to be said. */
  readonly input: readonly ContentPart[];
  readonly context: TurnContext | null;
  /** The base instructions that it brought. */
  readonly instructions: string | undefined;
  readonly limits: LimitSettings;
}

export function turnFacts(recorded: readonly RecordedLine[]): TurnFacts {
  const lines = recorded.map(({ line }) => line);
  const own = lines.flatMap((line) => (line.type === 'oxbow' ? [line.payload] : []));
  const messages = lines.filter((_, index) => isSaid(lines, index));
  const changes = own.filter((line) => line.kind === 'prefix.changed');
  return {
    compacts: messages.length === 0 && compacts(lines, own),
    input: messages.length === 0 && !isComplete(lines) ? UNSAID : contentOf(messages.find((line) => !isQueued(line))),
    context: lines.find((line) => line.type === 'turn_context')?.payload ?? null,
    instructions: changes.find(({ instructions }) => instructions !== undefined)?.instructions,
    limits: limitsOf(own),
  };
}

/** What a turn was to say that came to an end before is not known. */
const UNSAID: readonly ContentPart[] = [{ type: 'input_text', text: '' }];

function isComplete(lines: readonly LogLine[]): boolean {
  return lines.some((line) => line.type === 'event_msg' && line.payload.type === 'task_complete');
}

/** Of a turn that says nothing. One whose queue became empty says nothing either, and asks for nothing. */
function compacts(lines: readonly LogLine[], own: readonly OxbowLine[]): boolean {
  if (lines.some((_, index) => isContext(lines, index))) return false;
  if (own.some((line) => line.kind === 'request.started')) return true;
  return isComplete(lines) && !own.some(({ kind }) => kind === 'input.removed');
}

function isQueued(line: LogLine): boolean {
  return line.type === 'response_item' && line.metadata?.queued !== undefined;
}

/** Whether a line is a message that somebody said: the line after it shows it as such, unless the process died between. */
function isSaid(lines: readonly LogLine[], index: number): boolean {
  const [line, next] = [lines[index], lines[index + 1]];
  if (!isOurMessage(line)) return false;
  return next ? next.type === 'event_msg' && next.payload.type === 'user_message' : isFromUser(line.payload);
}

/** Whether a line is a message that tells the model of its surroundings. */
export function isContext(lines: readonly LogLine[], index: number): boolean {
  return isOurMessage(lines[index]) && !isSaid(lines, index) && !isInterruption(lines, index);
}

/** Whether a line is the message that tells the model that its turn was interrupted. */
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

/** The limit that a turn ran into. That of the time is not a number here: the clock stands still. */
function limitsOf(own: readonly OxbowLine[]): LimitSettings {
  const limit = own.find((line) => line.kind === 'turn.failed')?.limit;
  return limit === undefined || limit.kind === 'time' ? {} : { [SETTINGS[limit.kind]]: limit.value };
}

const SETTINGS = { requests: 'maxRequests', tokens: 'maxTokens', cost: 'maxCost' } as const;
