import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../../src/base/item.ts';
import { createAgent } from '../../../../src/index.ts';
import { fault, type RecordedRequest, reply, type ScriptedAnswer, say } from '../../../../src/testing/index.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { scriptedConfig } from '../../../harness/scripted-config.ts';
import { WIRES, type WireName } from '../../../harness/wires.ts';

const ID = '01a1dfaa-1ab3-7ac0-8c77-9d2487a9f568';
const PIXEL_BYTES = 'iVBORw0KGgo=';
const PIXEL = `data:image/png;base64,${PIXEL_BYTES}`;

const said = (text: string): Item => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const sealed = (id: string): Item => ({
  type: 'reasoning',
  id,
  summary: [],
  content: null,
  encrypted_content: 'sealed',
});

/** Everything that a thread of Codex may hold, with the leftovers of a crash and of careless servers. */
const HISTORY: readonly Item[] = [
  said('<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
  {
    type: 'message',
    id: 'msg_1',
    role: 'user',
    content: [
      { type: 'input_text', text: 'look' },
      { type: 'input_image', image_url: PIXEL },
    ],
  },
  sealed('rs_1'),
  { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
  sealed('rs_2'),
  { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'apply_patch', input: '*** Begin Patch' },
  { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_1', output: 'Done' },
  {
    type: 'local_shell_call',
    id: 'lsh_1',
    call_id: 'call_2',
    status: 'completed',
    action: { type: 'exec', command: ['ls'] },
  },
  {
    type: 'function_call_output',
    id: 'fco_1',
    call_id: 'call_2',
    output: [
      { type: 'input_text', text: 'a.png' },
      { type: 'input_image', image_url: PIXEL },
    ],
  },
  { type: 'function_call_output', id: 'fco_2', call_id: 'nobody', output: 'lost' },
  { type: 'function_call', id: 'fc_3', call_id: 'call_3', name: 'exec_command', arguments: '{"cmd":"sleep 9"}' },
  said('go on'),
  { type: 'function_call', id: 'fc_3', call_id: 'call_3', name: 'exec_command', arguments: '{"cmd":"ls"}' },
  { type: 'function_call_output', id: 'fco_3', call_id: 'call_3', output: 'files' },
  {
    type: 'agent_message',
    id: 'amsg_1',
    author: '/root',
    recipient: '/a',
    content: [{ type: 'input_text', text: 'from b' }],
  },
  { type: 'message', id: 'msg_2', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
];

/** Writes a thread as Codex leaves it in a home. */
function writeThread({ workspace }: Scene, history: readonly Item[]): void {
  const folder = join(workspace.home, 'sessions/2026/11/15');
  mkdirSync(folder, { recursive: true });
  const meta = { id: ID, session_id: ID, timestamp: '2026-11-15T14:43:49.586Z', cwd: workspace.path, source: 'exec' };
  const named = { originator: 'codex_exec', cli_version: '0.166.0', model_provider: 'openai', history_mode: 'legacy' };
  const payloads = [
    ['session_meta', { ...meta, ...named, base_instructions: { text: 'Work.' } }],
    ...history.map((item) => ['response_item', item]),
  ];
  const lines = payloads.map(([type, payload], ordinal) =>
    JSON.stringify({ timestamp: meta.timestamp, ordinal, type, payload }),
  );
  writeFileSync(join(folder, `rollout-2026-11-15T14-43-49-${ID}.jsonl`), `${lines.join('\n')}\n`);
}

interface Switch {
  readonly model: string;
  readonly wire: WireName;
  readonly provider?: string;
}

/** Continues the thread elsewhere, for one turn each, and returns the requests. */
async function goOn(s: Scene, { model, wire, provider = 'scripted' }: Switch, inputs = ['next', 'more']) {
  const place = { name: 'There', base_url: s.model.url, wire_api: wire, env_key: 'SCRIPTED_KEY' };
  const config = { model, model_provider: provider, model_providers: { [provider]: place } };
  s.workspace.configure(scriptedConfig(s.model.url, config));
  const { home } = s.workspace;
  const env = { HOME: home, OXBOW_HOME: home, PATH: process.env.PATH, SCRIPTED_KEY: 'k' };
  const agent = createAgent({ env, cwd: s.workspace.path });
  const thread = await agent.resumeThread(ID);
  const from = s.model.requests.length;
  const results = [];
  for (const input of inputs) results.push((await thread.run(input)).status);
  await thread.close();
  expect(results).toEqual(inputs.map(() => 'completed'));
  return s.model.requests.slice(from);
}

const always = (answer: ScriptedAnswer) => () => answer;

describe.each(WIRES)('a thread of another provider continues over %s', (wire) => {
  test.each(['qwen3-coder', 'gpt-5.5', 'codex-mini', 'unheard-of'])(
    'with %s, valid for a strict server',
    async (model) => {
      const s = await scene(always(reply(say('ok'))));
      writeThread(s, HISTORY);
      const [first, second] = await goOn(s, { model, wire });
      expect(requestFaults(first?.body ?? {})).toEqual([]);
      expect(requestFaults(second?.body ?? {})).toEqual([]);
      const sent = first?.bytes.toString() ?? '';
      for (const gone of ['web_search_call', '"agent_message"', 'lost']) expect(sent).not.toContain(gone);
      expect(sent).toContain('from b');
      expect(sent.includes(PIXEL_BYTES)).toBe(model !== 'qwen3-coder');
      expect(sent.includes('cannot look at images')).toBe(model === 'qwen3-coder');
      const list = wire === 'responses' ? 'input' : 'messages';
      const [before = [], after = []] = [first, second].map((request) => request?.body[list] as readonly unknown[]);
      expect(before.length).toBeGreaterThan(10);
      expect(after.slice(0, before.length)).toEqual(before);
    },
  );
});

test.each([
  { wire: 'responses', provider: 'openai' },
  { wire: 'responses', provider: 'other' },
  { wire: 'chat', provider: 'openai' },
] as const)(
  'tools of Codex, and instructions that the request has already, are not sent over $wire to $provider',
  async (place) => {
    const s = await scene(always(reply(say('ok'))));
    const developer = (text: string): Item => ({
      type: 'message',
      role: 'developer',
      content: [{ type: 'input_text', text }],
    });
    const tools: Item = { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [{ name: 'their_tool' }] };
    writeThread(s, [tools, developer('Work.'), developer('Work well.'), ...HISTORY]);
    const [first, second] = await goOn(s, { model: 'unheard-of', ...place });
    for (const request of [first, second]) {
      expect(requestFaults(request?.body ?? {})).toEqual([]);
      const sent = request?.bytes.toString() ?? '';
      expect(sent).not.toMatch(/additional_tools|their_tool/);
      expect(sent.match(/Work\./g)).toHaveLength(1);
      expect(sent.match(/Work well\./g)).toHaveLength(1);
    }
    expect(s.rollout().slice(1, 3)).toMatchObject([{ payload: tools }, { payload: developer('Work.') }]);
  },
);

test('calls have the kinds that the model is offered, and their original kinds at their own provider', async () => {
  const s = await scene(always(reply(say('ok'))));
  writeThread(s, HISTORY);
  const kinds = ({ body }: RecordedRequest) =>
    body.input?.filter(({ type }) => /call$/.test(type)).map(({ type }) => type);
  const [there] = await goOn(s, { model: 'unheard-of', wire: 'responses' }, ['next']);
  expect(there && kinds(there)).toEqual(['function_call', 'function_call', 'function_call', 'function_call']);
  expect(there?.body.input).toContainEqual({
    type: 'function_call',
    name: 'apply_patch',
    arguments: '{"input":"*** Begin Patch"}',
    call_id: 'call_1',
  });
  const [patching] = await goOn(s, { model: 'gpt-5.5', wire: 'responses' }, ['next']);
  expect(patching && kinds(patching)).toEqual(['custom_tool_call', 'function_call', 'function_call', 'function_call']);
  const [home] = await goOn(s, { model: 'codex-mini', wire: 'responses', provider: 'openai' }, ['next']);
  expect(home && kinds(home)).toEqual([
    'web_search_call',
    'function_call',
    'local_shell_call',
    'function_call',
    'function_call',
  ]);
});

test('reasoning that a server cannot decrypt is left out', async () => {
  const refusal = fault.status(400, { error: { code: 'invalid_encrypted_content', message: 'cannot verify' } });
  const s = await scene(({ bytes }) => (bytes.includes('"sealed"') ? refusal : reply(say('ok'))));
  writeThread(s, HISTORY);
  const requests = await goOn(s, { model: 'unheard-of', wire: 'responses' });
  expect(requests).toHaveLength(3);
  for (const { body } of requests) expect(requestFaults(body)).toEqual([]);
});

test('a summary that only another server can read is reported as missing', async () => {
  const s = await scene(always(reply(say('ok'))));
  writeThread(s, [said('one'), { type: 'compaction', id: 'cmp_1', encrypted_content: 'sealed' }]);
  for (const wire of ['responses', 'chat'] as const) {
    const [request] = await goOn(s, { model: 'unheard-of', wire }, ['next']);
    expect(request?.bytes.toString()).toContain('only the server which wrote it can read');
    expect(request?.bytes.toString()).not.toContain('sealed');
  }
});
