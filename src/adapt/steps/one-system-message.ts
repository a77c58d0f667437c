import { mapEntries, withField } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { SYSTEM_LABEL } from '../../wire/lowering/system-label.ts';
import type { AdaptRules, Message } from '../adapt-rules.ts';
import { joinContents, mergeMessages, plainText } from '../content.ts';
import { editHistory, historyOf, isSystem } from '../history.ts';
import type { AdaptStep, StepContext } from './step.ts';

/**
 * G2: one system message at the beginning. Leading system messages are merged, or added to the instructions if there
 * are any. Later ones become user messages.
 */
export const oneSystemMessage: AdaptStep = {
  isOn: ({ systemMessages }) => systemMessages === 'one',
  apply(body, context) {
    const into = hasInstructions(body, context) ? intoInstructions : intoFirst;
    return laterToUser(into(body, context), context);
  },
};

/** Reports whether system texts belong into the instructions before all messages. */
function hasInstructions(body: Fields, { rules }: StepContext): boolean {
  if (rules.onlyInstructions) return true;
  const instructions = rules.instructions === undefined ? undefined : body[rules.instructions];
  return typeof instructions === 'string' && instructions.trim() !== '';
}

function intoFirst(body: Fields, { rules, report }: StepContext): Fields {
  const [first, ...others] = leadingMessages(rules, body);
  if (first === undefined || others.length === 0) return body;
  report('G2', `${others.length + 1} system messages`, 'one');
  const merged = mergeMessages(rules, [first, ...others]);
  return editHistory(rules, body, (history) => [merged, ...history.slice(others.length + 1)]);
}

/** Adds leading system messages to the instructions, up to the first that holds more than text. */
function intoInstructions(body: Fields, { rules, report }: StepContext): Fields {
  const texts = leadingMessages(rules, body).map(({ content }) => plainText(content));
  const count = texts.includes(undefined) ? texts.indexOf(undefined) : texts.length;
  if (count === 0) return body;
  report('G2', `instructions and ${count} system messages`, 'instructions');
  const name = rules.instructions ?? '';
  const contents = [body[name], ...texts.slice(0, count)];
  const instructions = joinContents(rules, 'system', contents) ?? '';
  return editHistory(rules, withField(body, name, instructions), (history) => history.slice(count));
}

function leadingMessages(rules: AdaptRules, body: Fields): readonly Message[] {
  const leading: Message[] = [];
  for (const entry of historyOf(rules, body)) {
    const message = rules.messageOf(entry);
    if (!isSystem(message)) break;
    leading.push(message);
  }
  return leading;
}

function laterToUser(body: Fields, context: StepContext): Fields {
  const { rules, report } = context;
  const first = hasInstructions(body, context) ? undefined : historyOf(rules, body)[0];
  const asUser = (entry: unknown) => {
    const message = rules.messageOf(entry);
    return isSystem(message) && entry !== first ? labelled(rules, message) : entry;
  };
  const adapted = editHistory(rules, body, (history) => mapEntries(history, asUser));
  if (adapted !== body) report('G2', 'system', 'user');
  return adapted;
}

function labelled(rules: AdaptRules, message: Message): Message {
  const { content } = message;
  if (typeof content === 'string') return { ...message, role: 'user', content: `${SYSTEM_LABEL}\n${content}` };
  const label = [rules.textPart('user', SYSTEM_LABEL)];
  return { ...message, role: 'user', content: joinContents(rules, 'user', [label, content]) };
}
