import { expect, test } from 'vitest';
import type { Item } from './item.ts';
import { isSummary, summaryText } from './summary.ts';

const said = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });

test('a summary begins with the line of Codex, and is recognized', () => {
  const text = summaryText('All is well.');
  expect(text).toMatch(/^Another language model started .* to assist with your own analysis:\n[\s\S]*\nAll is well\.$/);
  expect(summaryText(text)).toBe(text);
  expect(isSummary(said(text))).toBe(true);
});

test('summaries of older versions are recognized and stay as they are', () => {
  const older =
    'What came before in this thread was replaced by this summary of it. Go on from here: what it calls done is done, and files and running commands are as it says.\nAll is well.';
  expect(isSummary(said(older))).toBe(true);
  expect(summaryText(older)).toBe(older);
  expect(isSummary(said('All is well.'))).toBe(false);
  expect(isSummary({ type: 'message', role: 'user', content: [{ type: 'input_text' } as never] })).toBe(false);
});
