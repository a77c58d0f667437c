import { expect, test } from 'vitest';
import type { Item } from '../../base/item.ts';
import type { Turn } from '../turn-setup.ts';
import { activeTokens, itemTokens } from './estimate.ts';
import { emptyState } from './thread-state.ts';

const said = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const frame = JSON.stringify(said('')).length;

test('a token is four bytes of JSON', () => {
  expect(itemTokens(said('x'.repeat(4000)))).toBe(Math.ceil((4000 + frame) / 4));
  expect(itemTokens(said('漢'.repeat(1000)))).toBe(Math.ceil((3000 + frame) / 4));
});

test('an image counts the same whatever its size', () => {
  const image = (bytes: number): Item => ({
    type: 'function_call_output',
    call_id: 'c',
    output: [{ type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(bytes)}` }],
  });
  expect(itemTokens(image(4_000_000))).toBe(itemTokens(image(4)));
  expect(itemTokens(image(4))).toBeGreaterThan(7373 / 4);
});

test('sealed reasoning counts as its original text', () => {
  const sealed = (length: number): Item => ({
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 's'.repeat(5000) }],
    content: null,
    encrypted_content: 'e'.repeat(length),
  });
  expect(itemTokens(sealed(4000))).toBe(Math.ceil((3000 - 650) / 4));
  expect(itemTokens(sealed(100))).toBe(0);
});

function turnWith(history: readonly Item[]): Turn {
  const state = emptyState();
  state.history.push(...history);
  const setup = { prompt: { instructions: 'i'.repeat(400) } };
  return { state, setup, tools: { offered: [] } } as unknown as Turn;
}

test('the count of the server is used, and later items are added', () => {
  const turn = turnWith([said('a'.repeat(40_000)), said('b'.repeat(4000))]);
  turn.state.counted = { tokens: 7000, items: 1, least: 7000, steady: { tokens: 7000, counts: 1 } };
  expect(activeTokens(turn)).toBe(7000 + itemTokens(said('b'.repeat(4000))));
});

test('without a count everything is estimated, again if the history was replaced', () => {
  const turn = turnWith([said('a'.repeat(40_000))]);
  const first = activeTokens(turn);
  expect(first).toBe(100 + 1 + itemTokens(said('a'.repeat(40_000))));
  turn.state.history.push(said('b'.repeat(4000)));
  expect(activeTokens(turn)).toBe(first + itemTokens(said('b'.repeat(4000))));
  turn.state.history.splice(0, 2, said('c'), said('d'), said('e'));
  expect(activeTokens(turn)).toBe(101 + 3 * itemTokens(said('c')));
});
