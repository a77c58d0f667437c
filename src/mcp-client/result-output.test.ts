import { expect, test } from 'vitest';
import type { McpToolResult } from '../base/mcp-connection.ts';
import { resultOutput } from './result-output.ts';

const output = (result: Partial<McpToolResult>, tokens?: number) =>
  resultOutput(
    { content: [], structuredContent: undefined, isError: false, ...result },
    { seconds: 1.5, limit: tokens === undefined ? undefined : { unit: 'tokens', limit: tokens } },
  );
const HEADER = 'Wall time: 1.5000 seconds\nOutput:';
const text = (content: string) => ({ type: 'text', text: content });

test('texts are one text', () => {
  expect(output({ content: [text('a'), text('b')] })).toBe(`${HEADER}\na\nb`);
  expect(output({})).toBe(`${HEADER}\n`);
});

test('structured content takes the place of the parts', () => {
  expect(output({ content: [text('a')], structuredContent: { a: [1] } })).toBe(`${HEADER}\n{"a":[1]}`);
  expect(output({ content: [text('a')], structuredContent: 0 })).toBe(`${HEADER}\n0`);
  expect(output({ content: [text('a')], structuredContent: null })).toBe(`${HEADER}\na`);
});

test('images are parts', () => {
  const image = { type: 'image', data: 'QUJD', mimeType: 'image/png' };
  expect(output({ content: [text('a'), image, { ...image, _meta: { 'codex/imageDetail': 'low' } }] })).toEqual([
    { type: 'input_text', text: HEADER },
    { type: 'input_text', text: 'a' },
    { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'high' },
    { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'low' },
  ]);
});

test.each([
  [{ type: 'audio', data: 'QUJD', mimeType: 'audio/wav' }, '[audio (audio/wav, 4 bytes as base64) left out]'],
  [{ type: 'resource', resource: { uri: 'file:///a', text: 'A' } }, 'file:///a:\nA'],
  [
    { type: 'resource', resource: { uri: 'file:///a', mimeType: 'application/zip', blob: 'QUJD' } },
    '[resource file:///a (application/zip, 4 bytes as base64) left out]',
  ],
  [{ type: 'resource_link', uri: 'file:///a', name: 'a' }, '{"type":"resource_link","uri":"file:///a","name":"a"}'],
  [
    { type: 'image', data: 'A'.repeat(8 * 1024 * 1024 + 1), mimeType: 'image/png' },
    '[image of 8388609 bytes left out: it is too large]',
  ],
  [{ type: 'hologram' }, '{"type":"hologram"}'],
])('a part that models do not accept stands as a text', (part, expected) => {
  expect(output({ content: [part] })).toBe(`${HEADER}\n${expected}`);
});

test('the limit of a tool bounds its texts', () => {
  expect(output({ content: [text('x'.repeat(100))] }, 5)).toBe(`${HEADER}\nxxxxxxxxxx…20 tokens truncated…xxxxxxxxxx`);
});
