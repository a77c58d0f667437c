import { expect, test } from 'vitest';
import { composerText, EMPTY_COMPOSER } from './composer.ts';
import { editComposer } from './edit-composer.ts';
import { recallNewer, recallOlder, searchHistory } from './recall.ts';

const HISTORY = ['fix the tests', 'explain', 'fix the tests', 'fix it', 'run'];
const draft = (text: string) => editComposer(EMPTY_COMPOSER, { type: 'set', text }, 80);

test('entries that begin with the draft, then the draft again', () => {
  let step = recallOlder(undefined, draft('fix'), HISTORY);
  expect(composerText(step.composer)).toBe('fix the tests');
  step = recallOlder(step.state, step.composer, HISTORY);
  expect(composerText(step.composer)).toBe('fix it');
  const stuck = recallOlder(step.state, step.composer, HISTORY);
  expect(stuck.composer).toBe(step.composer);
  step = recallNewer(stuck.state, stuck.composer, HISTORY);
  expect(composerText(step.composer)).toBe('fix the tests');
  step = recallNewer(step.state, step.composer, HISTORY);
  if (step.state !== undefined) step = recallNewer(step.state, step.composer, HISTORY);
  expect(composerText(step.composer)).toBe('fix');
  expect(step.state).toBeUndefined();
});

test('a changed entry is a draft of its own', () => {
  const first = recallOlder(undefined, draft(''), HISTORY);
  const changed = editComposer(first.composer, { type: 'set', text: 'ru' }, 80);
  expect(composerText(recallOlder(first.state, changed, HISTORY).composer)).toBe('run');
  expect(composerText(recallNewer(first.state, changed, HISTORY).composer)).toBe('ru');
});

test('undo of an entry is the draft', () => {
  const { composer } = recallOlder(undefined, draft('fix'), HISTORY);
  expect(composerText(editComposer(composer, { type: 'undo' }, 80))).toBe('fix');
});

test('search from the newest on, without doubles', () => {
  expect(searchHistory(HISTORY, 'the')).toEqual({ text: 'fix the tests', at: 0, start: 4 });
  expect(searchHistory(HISTORY, 'fix', 1)).toEqual({ text: 'fix it', at: 3, start: 0 });
  expect(searchHistory(HISTORY, 'fix', 2)).toBeUndefined();
  expect(searchHistory(['Explain', 'explain'], 'Ex')?.at).toBe(0);
  expect(searchHistory(['Explain', 'explain'], 'ex')?.at).toBe(0);
  expect(searchHistory(HISTORY, '')).toBeUndefined();
});
