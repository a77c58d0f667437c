import { expect, test } from 'vitest';
import { renderBlock } from '../../markdown/render-block.ts';
import { lineText } from '../../text/span.ts';
import { initialModel } from '../initial-model.ts';
import { answerEntries, type Entry } from './entry.ts';
import { view } from './view.ts';

const NOTE: Entry = { kind: 'notice', tone: 'dim', text: 'a note' };

test('Markdown is committed when its renderer is there or cannot be loaded, or when the user leaves, and so is everything after it', () => {
  const start = initialModel({ columns: 80, rows: 24 }, 0);
  const model = { ...start, outbox: [NOTE, ...answerEntries('It is **bold**.'), NOTE] };
  const committed = (one: typeof model) => {
    const { frame, entries } = view(one);
    return [entries, ...(frame.kind === 'inline' ? frame.commit.map(lineText) : [])];
  };
  expect(committed(model)).toEqual([1, 'a note']);
  const rendered = { ...model, look: { ...model.look, renderBlock } };
  expect(committed(rendered)).toEqual([3, 'a note', '', 'It is bold.', '', 'a note']);
  const source = [3, 'a note', '', 'It is **bold**.', '', 'a note'];
  expect(committed({ ...model, look: { ...model.look, renderBlock: null } })).toEqual(source);
  expect(committed({ ...model, stage: 'leaving' })).toEqual(source);
});
