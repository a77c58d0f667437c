import { expect, test } from 'vitest';
import type { ToolSpec } from '../../base/tool.ts';
import { client as responses } from '../responses/client.ts';
import { client } from './client.ts';

const tools = [
  { type: 'function', name: 'f', description: '', strict: false, parameters: {} },
  { type: 'custom', name: 'g', description: '' },
  { type: 'local_shell' },
  { type: 'web_search', search_context_size: 'low' },
  { type: 'web_search' },
  { type: 'mcp', server_label: 's' },
  { type: 'hologram', name: 'h' },
  { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'a' }, { type: 'web_search' }, 1] },
  { type: 'namespace', name: 'empty', tools: [] },
  { type: 'namespace', tools: [{ type: 'function', name: 'a' }] },
] as unknown as ToolSpec[];

test('tools without a form on this wire are listed once each', () => {
  expect(client.unsentTools(tools)).toEqual([
    'web_search',
    'mcp',
    'hologram h',
    'namespace n: web_search',
    'namespace n: no tool',
    'namespace',
  ]);
});

test('the Responses wire has a form for all tools', () => {
  expect(responses.unsentTools(tools)).toEqual([]);
});
