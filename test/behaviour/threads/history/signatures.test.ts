import { describe, expect, test } from 'vitest';
import { isRecord } from '../../../../src/base/json-schema.ts';
import type { Thread } from '../../../../src/index.ts';
import { call, fault, type RecordedRequest, reply, type Script, say, think } from '../../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import { requestFaults } from '../../../harness/request-faults.ts';
import { scene } from '../../../harness/scene.ts';
import { over } from '../../../harness/wires.ts';

const ONE = 'c2lnbmF0dXJlIG9uZQ==';
const TWO = 'EqQBCkYIBxgCKkA/+_ \u00fc"\\=';
const REDACTED = 'cmVkYWN0ZWQ=';

const thinking = (raw: string, encrypted: string) => think([], { raw, encrypted });
const echo = (callId: string) => call('exec_command', { cmd: `echo ${callId}` }, { callId });

const TURN = [
  reply(thinking('first', ONE), think([], { encrypted: REDACTED }), say('I look.'), echo('a'), echo('b')),
  reply(thinking('second', TWO), echo('c')),
  reply(say('done')),
];

/** Blocks of the turn, as its server must get them back. */
const FIRST = [
  { type: 'thinking', thinking: 'first', signature: ONE },
  { type: 'redacted_thinking', data: REDACTED },
];
const BOTH = [...FIRST, { type: 'thinking', thinking: 'second', signature: TWO }];

/** Returns the blocks of reasoning in a request, in their order. */
function thoughts({ body }: RecordedRequest): unknown[] {
  const messages = (Array.isArray(body.messages) ? body.messages : []) as readonly unknown[];
  const contents = messages.filter(isRecord).flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return contents.filter((block: unknown) => isRecord(block) && /thinking$/.test(String(block.type)));
}

const signed = (script: Script, more: object = {}) => libraryScene(script, over('messages', { ...more }));

async function run(thread: Thread, input: string, provider?: string): Promise<void> {
  const { error } = await thread.run(input, provider === undefined ? {} : { provider, model: 'elsewhere' });
  expect(error).toBeNull();
}

function expectValid({ model }: Pick<LibraryScene, 'model'>): void {
  for (const { body } of model.requests) expect(requestFaults(body)).toEqual([]);
}

describe('signatures and redacted reasoning', () => {
  test('go back unchanged between the calls of a turn, in later turns, and after a resume', async () => {
    const s = await signed([...TURN, reply(say('again')), reply(say('and again'))]);
    const thread = await s.agent.startThread();
    await run(thread, 'one');
    await run(thread, 'two');
    await thread.close();
    const resumed = await s.agent.resumeThread(thread.id);
    await run(resumed, 'three');
    await resumed.close();
    expect(s.model.requests.map(thoughts)).toEqual([[], FIRST, BOTH, BOTH, BOTH]);
    expectValid(s);
  });

  test('are gone after a compaction, and new ones are kept', async () => {
    const s = await signed([...TURN, reply(say('a summary')), ...TURN]);
    const thread = await s.agent.startThread();
    await run(thread, 'one');
    await thread.compact();
    await run(thread, 'two');
    await thread.close();
    expect(s.model.requests.map(thoughts)).toEqual([[], FIRST, BOTH, BOTH, [], FIRST, BOTH]);
    expectValid(s);
  });

  test('of a fork go back too', async () => {
    const s = await signed([...TURN, reply(say('forked'))]);
    const thread = await s.agent.startThread();
    await run(thread, 'one');
    await thread.close();
    const fork = await s.agent.forkThread(thread.id);
    await run(fork, 'two');
    await fork.close();
    expect(s.model.requests.map(thoughts).at(-1)).toEqual(BOTH);
  });

  test('that the server refuses are left out, with a report, and the request is sent once more', async () => {
    const words = 'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound elsewhere.';
    const refusal = fault.status(400, { type: 'error', error: { type: 'invalid_request_error', message: words } });
    const s = await signed((request, n) => {
      if (n <= TURN.length) return TURN[n - 1];
      return thoughts(request).length > 0 ? refusal : reply(say('without'));
    });
    const thread = await s.agent.startThread(s.threadOptions());
    await run(thread, 'one');
    await run(thread, 'two');
    await run(thread, 'three');
    await thread.close();
    expect(s.model.requests.map((request) => thoughts(request).length)).toEqual([0, 2, 3, 3, 0, 0]);
    expect(s.events.filter(({ type }) => type === 'repair')).toMatchObject([{ id: 'E9', after: 'left out' }]);
  });
});

describe('a thread that goes on at another provider', () => {
  const other = (url: string, wire: string) => ({
    model_providers: { scripted: { wire_api: 'messages' }, other: { base_url: url, wire_api: wire } },
  });

  test.each(['messages', 'chat', 'responses', 'ollama'])(
    'leaves its signatures behind over %s, and has them again when it comes back',
    async (wire) => {
      const there = await scene([reply(echo('d')), reply(say('hello from there'))]);
      const s = await libraryScene([...TURN, reply(say('back'))], other(there.model.url, wire));
      const thread = await s.agent.startThread();
      await run(thread, 'one');
      await run(thread, 'two', 'other');
      await thread.close();
      const resumed = await s.agent.resumeThread(thread.id);
      await run(resumed, 'three');
      await resumed.close();
      for (const { bytes } of there.model.requests) {
        const sent = bytes.toString();
        for (const secret of [ONE, JSON.stringify(TWO).slice(1, -1), REDACTED, 'oxbow:']) {
          expect(sent).not.toContain(secret);
          expect(sent).not.toContain(Buffer.from(secret).toString('base64url'));
        }
        expect(sent).toContain('I look.');
      }
      expect(s.model.requests.map(thoughts).at(-1)).toEqual(BOTH);
      expect(JSON.stringify(s.model.requests.at(-1)?.body)).toContain('hello from there');
      expectValid(s);
      expectValid(there);
    },
  );

  test('does not show one provider the signatures of the other, wherever they stand', async () => {
    const theirs = 'dGhlaXJz';
    const there = await scene([reply(thinking('theirs', theirs), say('two')), reply(say('four'))]);
    const s = await libraryScene([...TURN, reply(say('three'))], other(there.model.url, 'messages'));
    const thread = await s.agent.startThread();
    await run(thread, 'one');
    await run(thread, 'two', 'other');
    await run(thread, 'three');
    await run(thread, 'four', 'other');
    await thread.close();
    expect(s.model.requests.map(thoughts).at(-1)).toEqual(BOTH);
    expect(there.model.requests.map(thoughts)).toEqual([
      [],
      [{ type: 'thinking', thinking: 'theirs', signature: theirs }],
    ]);
    expectValid(there);
  });
});

describe('model_reasoning_effort', () => {
  test.each([
    ['none', { thinking: { type: 'disabled' } }],
    ['minimal', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } }],
    ['low', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } }],
    ['medium', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'medium' } }],
    ['high', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } }],
    ['xhigh', { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } }],
  ])('%s arrives over messages', async (effort, fields) => {
    const s = await signed([reply(say('done'))], { model_reasoning_effort: effort });
    await run(await s.agent.startThread(), 'one');
    const sent = Object.entries(s.model.requests[0]?.body ?? {});
    const about = sent.filter(([name]) => name === 'thinking' || name === 'output_config');
    expect(Object.fromEntries(about)).toEqual(fields);
    expectValid(s);
  });

  test.each([
    ['none', false],
    ['minimal', 'low'],
    ['medium', 'medium'],
    ['xhigh', 'high'],
  ])('%s arrives over ollama as %j', async (effort, sent) => {
    const s = await libraryScene([reply(say('done'))], over('ollama', { model_reasoning_effort: effort }));
    await run(await s.agent.startThread(), 'one');
    expect(s.model.requests[0]?.body.think).toBe(sent);
  });

  test('without it the server decides', async () => {
    const s = await signed([reply(say('done'))]);
    await run(await s.agent.startThread(), 'one');
    for (const field of ['thinking', 'output_config']) expect(s.model.requests[0]?.body).not.toHaveProperty(field);
  });

  test('a server that wants a number of tokens gets one below the limit', async () => {
    const words = 'thinking: adaptive thinking is not supported on this model. Use thinking.type "enabled".';
    const refusal = fault.status(400, { type: 'error', error: { type: 'invalid_request_error', message: words } });
    const s = await signed(({ body }) => (JSON.stringify(body).includes('adaptive') ? refusal : reply(say('done'))), {
      model_reasoning_effort: 'high',
    });
    await run(await s.agent.startThread(), 'one');
    expect(s.model.requests.at(-1)?.body.thinking).toMatchObject({
      type: 'enabled',
      budget_tokens: expect.any(Number),
    });
    expectValid(s);
  });
});
