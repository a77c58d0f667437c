import type { Answer } from '../../base/event.ts';
import { composerText } from '../composer/composer.ts';
import { NO_MODIFIERS, namedKey } from '../input/keys.ts';
import type { TuiMessage } from '../message.ts';
import type { QuestionState, TuiModel } from '../model.ts';
import { isSlash } from '../update/slash.ts';

/** A line that ends in this time after a question came was begun before it was read. */
const READ_MS = 1000;

/**
 * Returns the messages that a typed line stands for: a choice from a list, the answer to a question, a command, or a prompt.
 * A line that was typed before a question could be read is a prompt.
 */
export function lineMessages(model: TuiModel, line: string, at: number): readonly TuiMessage[] {
  const { list, questions } = model;
  const text = line.trim();
  if (list?.kind === 'choose' && /^\d*$/.test(text)) return [{ type: 'pick', index: Number(text) - 1 }];
  const [question] = questions;
  const answer = question && at - question.openedAt >= READ_MS ? answerIn(text, question) : undefined;
  if (question && answer !== undefined) return [{ type: 'answer', askId: question.ask.id, answer }];
  // The text may be anything, but it is not a choice.
  const closed: readonly TuiMessage[] = list?.kind === 'choose' ? [{ type: 'pick', index: -1 }] : [];
  if (text === '') return closed;
  if (isSlash(text)) return [...closed, { type: 'slash', line: text.slice(1) }];
  // A backslash at the end of the line before goes on with this one.
  const before = composerText(model.composer);
  return [
    ...closed,
    { type: 'draft', text: before.endsWith('\n') ? before + line : line },
    { type: 'input', event: { type: 'key', key: namedKey('enter', NO_MODIFIERS) }, at },
  ];
}

function answerIn(line: string, { ask }: QuestionState): Answer | undefined {
  const [, word = '', words = ''] = /^(\S*)\s*(.*)$/.exec(line) ?? [];
  if (/^no?$/i.test(word)) return words === '' ? { type: 'decline' } : { type: 'decline', message: words };
  if (words !== '') return undefined;
  const index = /^y(es)?$/i.test(word) ? 0 : /^[2-9]$/.test(word) ? Number(word) - 1 : -1;
  const offered = ask.scopes[index];
  return offered && { type: 'approve', scope: offered.scope };
}
