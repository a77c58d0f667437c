import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, customCall, fault, type RecordedRequest, reply, say } from '../../../src/testing/index.ts';
import { allNodes } from '../../harness/nodes.ts';
import { EXAMPLES_FOLDER, runExample } from '../../harness/run-example.ts';
import { isFull } from '../../harness/runs.ts';
import { type Scene, scene } from '../../harness/scene.ts';

/** Programs that have a test file of their own. */
const ELSEWHERE = ['programs/chat-server.mjs', 'programs/own-transport.mjs'];

const inputOf = ({ body }: RecordedRequest) => JSON.stringify(body.input);
const config = { model_prices: { scripted: { input: 1, output: 1 } } };
const DIFF = '--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-for (;;) break;\n+for (;;);\n';
const PATCH = '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch';

/** Checks one program on one Node. `name` is the path of the program below examples/. */
type Check = (name: string, node: string) => Promise<void>;

async function reviewWithFindings(name: string, node: string): Promise<void> {
  const finding = { file: 'a.js', line: 1, text: 'It never ends.' };
  const s = await scene([
    reply(call('exec_command', { cmd: 'echo look' })),
    reply(say('It never ends.')),
    reply(say(JSON.stringify({ verdict: 'change', findings: [finding, { ...finding, line: null }] }))),
  ]);
  const result = await runExample(s, name, { node, stdin: DIFF, config });
  expect(result).toMatchObject({ code: 1, stdout: 'a.js:1: It never ends.\na.js:1: It never ends.\n' });
  expect(result.stderr).toMatch(/^\$ echo look\nasked again: .*\n\$0\.\d{4}, 3 requests\n$/);
}

async function reviewWithoutFindings(name: string, node: string): Promise<void> {
  const s = await scene([reply(say('{"verdict":"merge","findings":[]}'))]);
  expect(await runExample(s, name, { node, stdin: '\n', config })).toMatchObject({ code: 0 });
  expect(s.model.requests).toEqual([]);
  expect(await runExample(s, name, { node, stdin: DIFF, config })).toMatchObject({ code: 0, stdout: '' });
}

async function reviewThatCostsTooMuch(name: string, node: string): Promise<void> {
  const usage = { inputTokens: 600_000, totalTokens: 600_000 };
  const s = await scene([reply(call('exec_command', { cmd: 'true' }), { usage }), reply(say('never'))]);
  const limited = await runExample(s, name, { node, stdin: DIFF, config });
  expect(limited).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no review: ') });
  expect(s.model.requests).toHaveLength(1);
  // A limit that is not a number is an error, not a review without a limit.
  const wrong = await runExample(s, name, { node, stdin: DIFF, config, env: { MAX_COST: 'much' } });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('maxCost') });
}

/** Runs the support desk, which is asked for a refund, with an answer to its question. */
async function refund(name: string, node: string, answer: string): Promise<Scene> {
  const s = await scene([
    reply(call('find_customer', { text: 'Ada' }), call('show_order', { number: '1001' })),
    reply(call('refund', { number: '1001', cents: 4900 }, { callId: 'refund' })),
    reply(say('Done.')),
  ]);
  const result = await runExample(s, name, { node, stdin: `${answer}\n` });
  expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/^find_customer .*Ada[\s\S]*\nDone\.\n$/) });
  expect(result.stderr).toContain('It refunds 4900 cents of order 1001.');
  return s;
}

async function shop(name: string, node: string): Promise<void> {
  const model = ({ body }: RecordedRequest) => {
    const last = body.input?.at(-1);
    return last?.type === 'message' && JSON.stringify(last).includes('six')
      ? reply(call('stock', { article: 'chair' }), call('order', { article: 'chair', count: 2 }, { callId: 'order' }))
      : reply(say('There are six.'));
  };
  const s = await scene(model);
  const result = await runExample(s, name, { node, stdin: 'y\n', config });
  expect(result).toMatchObject({ code: 0 });
  expect(result.stdout).toMatch(/^There are six\.\n\$0\.\d{4}\nThere are six\.\n\$0\.\d{4}\n$/);
  expect(s.outputs(1).get('order')).toBe('ordered 2 of chair');
  expect(s.outputs(2).get('order')).toBe('ordered 2 of chair');
}

async function testsPass(name: string, node: string): Promise<void> {
  const s = await scene((request) => {
    if (inputOf(request).includes('again')) return reply(say('{"passed":false,"summary":"Not yet."}'));
    const done = request.body.input?.filter(({ type }) => type.endsWith('_output')).length;
    if (done === 0) return reply(call('exec_command', { cmd: 'echo 3 passed' }));
    return done === 1 ? reply(customCall('apply_patch', PATCH)) : reply(say('{"passed":true,"summary":"All pass."}'));
  });
  const first = await runExample(s, name, { node });
  const added = s.workspace.file('new.txt');
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(`echo 3 passed`) });
  expect(first.stdout).toContain(`add ${added}\nAll pass.\n`);
  const second = await runExample(s, name, { node, args: ['again'] });
  expect(second).toMatchObject({ code: 1, stdout: 'Not yet.\n' });
  expect(inputOf(s.model.requests.at(-1) as RecordedRequest)).toContain('Make the tests pass.');
}

const PROGRAMS: Record<string, readonly Check[]> = {
  'programs/review-bot.mjs': [reviewWithFindings, reviewWithoutFindings, reviewThatCostsTooMuch],
  'programs/ten-tools.mjs': [
    async (name, node) => {
      const s = await refund(name, node, 'y');
      expect(s.outputs(2).get('refund')).toMatch(/^refunded 4900 cents of 1001 \([0-9a-f-]{36}\)$/);
      expect(s.model.requests[0]?.body.tools).toHaveLength(10);
    },
    async (name, node) => {
      const s = await refund(name, node, 'too much');
      expect(s.outputs(2).get('refund')).toContain('rejected by user: too much');
    },
  ],
  'programs/fleet.mjs': [
    async (name, node) => {
      const kinds = { crashes: 'bug', 'dark mode': 'wish', 'log in': 'question' };
      const s = await scene((request, n) => {
        if (n % 40 === 7) return fault.status(429, {}, { 'retry-after': '0' });
        const [, kind] = Object.entries(kinds).find(([words]) => inputOf(request).includes(words)) ?? [];
        return reply(say(JSON.stringify({ kind, title: 'A ticket' })));
      });
      const result = await runExample(s, name, { node, args: ['90'] });
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(result.stdout).toMatch(/^bug: 30\nwish: 30\nquestion: 30\n9\d requests, \d+ repeated, \d+ tokens\n$/);
    },
    async (name, node) => {
      const s = await scene((request) =>
        inputOf(request).includes('Ticket 2:') ? fault.status(400, {}) : reply(say('{"kind":"bug","title":"A"}')),
      );
      const result = await runExample(s, name, { node, args: ['3'] });
      expect(result).toMatchObject({ code: 1, stdout: expect.stringMatching(/^bug: 2\n/) });
      expect(result.stderr).toMatch(/^ticket 2: /);
    },
  ],
  'programs/own-environment.mjs': [
    async (name, node) => {
      const s = await scene([
        reply(call('exec_command', { cmd: 'echo $INSIDE' })),
        reply(customCall('apply_patch', PATCH)),
        reply(say('Done.')),
      ]);
      const result = await runExample(s, name, { node, args: ['go', 'env', 'INSIDE=box'] });
      const added = s.workspace.file('new.txt');
      expect(result).toMatchObject({ code: 0, stdout: `box\nadd ${added}\nDone.\n`, stderr: '' });
      expect(readFileSync(added, 'utf8')).toBe('hello\n');
    },
  ],
  'programs/own-store.mjs': [
    async (name, node) => {
      const s = await scene((_, n) => reply(say(`answer ${n}`)));
      expect((await runExample(s, name, { node, args: ['first'] })).stdout).toBe('answer 1\n1 turns\n');
      // A process that died while it wrote.
      appendFileSync(s.workspace.file('threads.jsonl'), '{"id":"');
      const second = await runExample(s, name, { node, args: ['second'] });
      expect(second.stdout).toMatch(/^[0-9a-f-]{36} {2}first\nanswer 2\n2 turns\n$/);
      expect(inputOf(s.model.requests[1] as RecordedRequest)).toContain('answer 1');
    },
  ],
  'programs/conformance.mjs': [
    async (name, node) => {
      const { code, stdout } = await runExample(await scene([]), name, { node });
      expect(code, stdout).toBe(0);
    },
  ],
  'migrate/codex-sdk.mjs': [testsPass],
  'migrate/codex-sdk-import.mjs': [testsPass],
  'migrate/claude-agent-sdk.mjs': [shop],
  'migrate/ai-sdk.mjs': [
    async (name, node) => {
      const s = await scene([
        reply(call('show_order', { number: '1001' })),
        reply(call('refund', { number: '1001', cents: 4900 }, { callId: 'refund' })),
        reply(say('{"reply":"It is on its way.","refunded":4900}')),
      ]);
      const { code, stdout } = await runExample(s, name, { node, stdin: 'y\n' });
      expect(stdout).toMatch(/^show_order \{.*\}\nrefund \{.*\}\nIt is on its way\. \(4900 cents, \d+ tokens\)\n$/);
      expect(code).toBe(0);
      expect(s.outputs(2).get('refund')).toBe('refunded 4900 cents of 1001');
    },
  ],
  'migrate/pi.mjs': [
    async (name, node) => {
      const s = await scene((request, n) => {
        if (n === 1) return reply(call('show_ticket', { number: 7 }));
        if (n === 2) return reply(call('exec_command', { cmd: 'touch corrected' }));
        return reply(say(inputOf(request).includes('Leave the tests alone.') ? 'Corrected.' : 'What?'));
      });
      const { code, stdout, stderr } = await runExample(s, name, { node, stdin: 'y\n' });
      expect(stdout).toMatch(/^show_ticket \{"number":7\}\n\$ touch corrected\nCorrected\.\n\d+ tokens\n$/);
      expect([code, stderr]).toEqual([0, expect.stringContaining('[y, or why not] ')]);
      const second = await runExample(s, name, { node, args: ['What was the ticket?'] });
      expect(second).toMatchObject({ code: 0 });
      expect(inputOf(s.model.requests.at(-1) as RecordedRequest)).toContain('Crash on empty input');
    },
  ],
};

test('every program is tested, and short', () => {
  const programs = ['programs', 'migrate'].flatMap((folder) =>
    readdirSync(join(EXAMPLES_FOLDER, folder))
      .filter((name) => name.endsWith('.mjs'))
      .map((name) => `${folder}/${name}`),
  );
  expect(new Set([...Object.keys(PROGRAMS), ...ELSEWHERE])).toEqual(new Set(programs));
  const linesOf = (name: string) => readFileSync(join(EXAMPLES_FOLDER, name), 'utf8').split('\n').length - 1;
  expect(programs.filter((name) => linesOf(name) > 120)).toEqual([]);
});

const newer = allNodes().slice(1);

describe(`on Node ${process.version}`, () => {
  test.each(Object.entries(PROGRAMS))('%s works', async (name, checks) => {
    for (const check of checks) await check(name, process.execPath);
  });
});

/** Newer Nodes run each program once, the fleet with three tickets. In a quick run each program has one of them, in turn. */
describe.each(newer.map(([name, node], at) => [name, node, at] as const))('on Node %s', (_, node, at) => {
  const mine = Object.entries(PROGRAMS).filter((_program, n) => isFull() || n % newer.length === at);
  test.each(mine)('%s works', async (name, checks) => {
    await checks.at(-1)?.(name, node);
  });
});
