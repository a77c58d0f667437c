import type { RequestCompat } from '../../base/wire.ts';
import { mapEntries, withField, withoutFields } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { editHistory } from '../history.ts';
import type { AdaptStep } from './step.ts';

/** G7: the content of a message that has only calls is replaced. */
export const emptyContent: AdaptStep = {
  isOn: ({ emptyContent }) => emptyContent !== 'as_sent',
  apply(body, { rules, compat, report }) {
    // On other wires, a response that has only calls has no message.
    if (rules.isCallOnly === undefined) return body;
    let before: unknown;
    const emptied = (entry: unknown) => {
      const message = rules.messageOf(entry);
      if (message === undefined || rules.isCallOnly?.(message) !== true) return entry;
      const edited = withEmptyContent(message, compat.emptyContent);
      if (edited !== message) before ??= message.content;
      return edited;
    };
    const adapted = editHistory(rules, body, (history) => mapEntries(history, emptied));
    if (adapted !== body) report('G7', before === undefined ? '' : { content: before }, compat.emptyContent);
    return adapted;
  },
};

function withEmptyContent(message: Fields, style: RequestCompat['emptyContent']): Fields {
  switch (style) {
    case 'as_sent':
      return message;
    case 'null':
      return withField(message, 'content', null);
    case 'empty':
      return withField(message, 'content', '');
    case 'space':
      return withField(message, 'content', ' ');
    case 'omit':
      return withoutFields(message, ['content']);
  }
}
