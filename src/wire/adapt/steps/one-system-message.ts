import { mapEntries, withField } from '../../edit-fields.ts';
import type { Fields } from '../../request-fields.ts';
import { joinContents, mergeMessages, plainText, textPart } from '../content.ts';
import { type AdaptWire, editHistory, historyOf, isSystem, type Message, messageOf } from '../history.ts';
import type { Step, StepContext } from './step.ts';

/**
 * G2: one system message at the beginning. Those that lead are merged, on a wire with instructions into these; later
 * ones become texts of the user.
 */
export const oneSystemMessage: Step = {
  isOn: ({ systemMessages }) => systemMessages === 'one',
  apply(body, context) {
    const into = hasInstructions(body, context) ? intoInstructions : intoFirst;
    return laterToUser(into(body, context), context);
  },
};

/** What tells a text of the system among those of the user. */
const SYSTEM_LABEL = '[system]';

/** Whether the system speaks before all messages. */
function hasInstructions({ instructions }: Fields, { wire }: StepContext): boolean {
  return wire === 'responses' && typeof instructions === 'string' && instructions.trim() !== '';
}

function intoFirst(body: Fields, { wire, report }: StepContext): Fields {
  const [first, ...others] = leadingMessages(wire, body);
  if (first === undefined || others.length === 0) return body;
  report('G2', `${others.length + 1} system messages`, 'one');
  const merged = mergeMessages(wire, [first, ...others]);
  return editHistory(wire, body, (history) => [merged, ...history.slice(others.length + 1)]);
}

/** A message that is more than text stays where it is. */
function intoInstructions(body: Fields, { wire, report }: StepContext): Fields {
  const texts = leadingMessages(wire, body).map(({ content }) => plainText(content));
  const count = texts.includes(undefined) ? texts.indexOf(undefined) : texts.length;
  if (count === 0) return body;
  report('G2', `instructions and ${count} system messages`, 'instructions');
  const instructions = [body.instructions, ...texts.slice(0, count).filter((text) => text !== '')].join('\n\n');
  return editHistory(wire, withField(body, 'instructions', instructions), (history) => history.slice(count));
}

function leadingMessages(wire: AdaptWire, body: Fields): readonly Message[] {
  const leading: Message[] = [];
  for (const entry of historyOf(wire, body)) {
    const message = messageOf(wire, entry);
    if (!isSystem(message)) break;
    leading.push(message);
  }
  return leading;
}

function laterToUser(body: Fields, context: StepContext): Fields {
  const { wire, report } = context;
  const first = hasInstructions(body, context) ? undefined : historyOf(wire, body)[0];
  const asUser = (entry: unknown) => {
    const message = messageOf(wire, entry);
    return isSystem(message) && entry !== first ? labelled(wire, message) : entry;
  };
  const adapted = editHistory(wire, body, (history) => mapEntries(history, asUser));
  if (adapted !== body) report('G2', 'system', 'user');
  return adapted;
}

function labelled(wire: AdaptWire, message: Message): Message {
  const { content } = message;
  if (typeof content === 'string') return { ...message, role: 'user', content: `${SYSTEM_LABEL}\n${content}` };
  const label = [textPart(wire, 'user', SYSTEM_LABEL)];
  return { ...message, role: 'user', content: joinContents(wire, 'user', [label, content]) };
}
