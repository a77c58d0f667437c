import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ThreadUsage } from '../../../../src/index.ts';
import { call, type ReplyOptions, reply, say, type TempWorkspace } from '../../../../src/testing/index.ts';
import { notReplayed } from '../../../harness/replay-rollouts.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../../harness/scene.ts';
import { startProgram } from '../../../harness/start-program.ts';

const config = { model_prices: { scripted: { input: 2, output: 10 } } };
const USAGE: ReplyOptions = { usage: { inputTokens: 12_000, cachedInputTokens: 2000, outputTokens: 500 } };
const COST = (12_000 * 2 + 500 * 10) / 1e6;

async function json(args: readonly string[], { workspace }: Scene) {
  // The harness reads --json as JSON lines, which this output is not.
  const program = await startProgram({
    command: fileURLToPath(new URL('../../../../bin/oxbow', import.meta.url)),
    args: ['usage', ...args, '--json'],
    cwd: workspace.path,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: workspace.home, OXBOW_HOME: workspace.home },
  });
  const result = await program.wait();
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout) as ThreadUsage & { readonly threads: readonly ThreadUsage[] };
}

function rolloutOf(workspace: TempWorkspace): string {
  const sessions = join(workspace.home, 'sessions');
  const name = readdirSync(sessions, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.jsonl'));
  return join(sessions, name ?? '');
}

describe('oxbow usage THREAD', () => {
  test('shows a table of turns, of requests, or JSON', async () => {
    const steps = [reply(call('exec_command', { cmd: 'true' }), USAGE), reply(say('done'), USAGE)];
    const s = await scene([...steps, reply(say('again'), USAGE)]);
    const first = await runOxbow(['exec', '--json', 'make it  so'], { ...s, config });
    const id = String(first.events[0]?.thread_id);
    await runOxbow(['exec', 'resume', id, 'once more'], { ...s, config });
    const { stdout, code } = await runOxbow(['usage', id.slice(0, 20)], s);
    expect(code).toBe(0);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(rows[0]).toEqual([id]);
    expect(rows[1]).toEqual([
      ...['turn', 'input', 'requests', 'input', 'cached', 'output', 'reasoning', 'cost', 'retries', 'repairs'],
      ...['in model', 'in tools', 'sent', 'received'],
    ]);
    const figures = ['24,000', '4,000', '1,000', '0', `$${(2 * COST).toFixed(4)}`, '0', '0'];
    expect(rows[2]?.slice(0, 10)).toEqual(['1', 'make it so', '2', ...figures]);
    expect(rows[3]?.slice(0, 3)).toEqual(['2', 'once more', '1']);
    expect(rows[4]?.slice(0, 3)).toEqual(['total', '3', '36,000']);
    expect(rows).toHaveLength(5);

    const requests = await runOxbow(['usage', id, '--requests'], s);
    expect(requests.stdout.trimEnd().split('\n')).toHaveLength(4);
    const usage = await json([id], s);
    expect(usage.total).toMatchObject({ requests: 3, cost: 3 * COST });
    expect(usage.total.sentBytes).toBe(s.model.requests.reduce((sum, { bytes }) => sum + bytes.length, 0));
    expect(usage.turns[0]).not.toHaveProperty('requests');
    expect((await json([id, '--requests'], s)).turns[0]?.requests).toHaveLength(2);
  });

  test('skips a damaged line with a note', async () => {
    notReplayed('the lines are damaged');
    const s = await scene([reply(say('done'), USAGE)]);
    await runOxbow(['exec', 'go'], { ...s, config });
    appendFileSync(
      rolloutOf(s.workspace),
      '{"timestamp":"x","type":"event_msg","payload":{"type":"task_started"\nnonsense\n',
    );
    const id = rolloutOf(s.workspace).slice(-42, -6);
    const { stdout, stderr, code } = await runOxbow(['usage', id], s);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^note: line \d+ of .*\.jsonl is damaged and was skipped\nnote: line \d+ .*\n$/);
    expect(stdout).toContain('12,000');
  });

  test('shows the tokens of a Codex thread, and what is unknown', async () => {
    notReplayed('no program wrote these lines');
    const s = await scene([]);
    writeCodexThread(s.workspace);
    const usage = await json([CODEX_ID], s);
    const tokens = { inputTokens: 2000, cachedInputTokens: 800, outputTokens: 100, totalTokens: 2100 };
    expect(usage.turns).toMatchObject([
      {
        turn: 1,
        input: 'first prompt',
        model: 'gpt-5.5',
        status: 'completed',
        complete: false,
        ledger: { usage: tokens },
      },
      { turn: 2, input: 'older prompt', complete: false, ledger: { usage: { inputTokens: 1000 }, cost: null } },
    ]);
    expect(usage.total).toMatchObject({ usage: { inputTokens: 3000, totalTokens: 3150 }, cost: null });
    const { stdout } = await runOxbow(['usage', CODEX_ID], s);
    expect(stdout.split('\n')[2]?.split(/ {2,}/)).toEqual([
      ...['1', 'first prompt', '-', '2,000', '800', '100', '40', '-', '-', '-', '-', '-', '-', '-'],
    ]);
    expect(stdout).toContain('another program wrote this turn');
  });

  test('numbers turns as `threads show` does: turns that were rolled back have no number', async () => {
    notReplayed('a line of another program is added');
    const s = await scene(() => reply(say('done'), USAGE));
    await runOxbow(['exec', 'one'], s);
    await runOxbow(['exec', 'resume', '--last', 'two'], s);
    appendFileSync(
      rolloutOf(s.workspace),
      `${JSON.stringify({ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } })}\n`,
    );
    await runOxbow(['exec', 'resume', '--last', 'three'], s);
    const [id = ''] = s.rollout().flatMap((line) => (line.type === 'session_meta' ? [line.payload.id] : []));
    const { turns, total } = await json([id], s);
    expect(turns.map(({ turn, input }) => [turn, input])).toEqual([
      [1, 'one'],
      [null, 'two'],
      [2, 'three'],
    ]);
    expect(total.requests).toBe(3);
  });

  test('reports wrong input in one sentence', async () => {
    const s = await scene([]);
    const rows: [string[], number, string][] = [
      [['no-such-thread'], 1, 'There is no thread no-such-thread'],
      [['a', 'b'], 2, 'oxbow usage takes one thread, not 2.'],
      [['--since', 'soon'], 2, '--since takes a time such as 12h, 7d or 4w, not "soon".'],
      [['--requests'], 2, '--requests needs a thread.'],
      [['abcd', '--all'], 2, '--all cannot be used with a thread.'],
      [['--nothing'], 2, 'oxbow usage --help'],
    ];
    for (const [args, code, message] of rows) {
      const result = await runOxbow(['usage', ...args], s);
      expect(result.code).toBe(code);
      expect(result.stderr).toContain(message);
      expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    const help = await runOxbow(['usage', '--help'], s);
    expect(help.stdout).toContain('Example:\n  oxbow usage ');
  });
});

describe('oxbow usage', () => {
  test('shows the threads of the folder, or all threads, of the last days, and their sum', async () => {
    notReplayed('no program wrote the lines of one of them');
    const s = await scene(() => reply(say('done'), USAGE));
    await runOxbow(['exec', 'here'], { ...s, config });
    await runOxbow(['exec', 'here too'], { ...s, config });
    const elsewhere = ['-C', s.workspace.home, '--skip-git-repo-check'];
    await runOxbow(['exec', ...elsewhere, 'elsewhere'], { ...s, config });
    writeCodexThread(s.workspace);

    const here = await json([], s);
    expect(here.threads.map(({ turns }) => turns[0]?.input)).toEqual(['here too', 'here']);
    expect(here.total).toMatchObject({ requests: 2, usage: { inputTokens: 24_000 } });
    expect(here.total.cost).toBeCloseTo(2 * COST, 12);
    const all = await json(['--all', '--since', '4w'], s);
    expect(all.threads).toHaveLength(3);
    // The turns of that thread are years old, although its file is new.
    expect(all.threads.map(({ threadId }) => threadId)).not.toContain(CODEX_ID);
    const { stdout } = await runOxbow(['usage'], s);
    expect(stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(stdout).toMatch(/total +2 +2 +24,000/);
    const none = await runOxbow(['usage', '-C', s.workspace.file('.')], {
      ...s,
      env: { OXBOW_HOME: s.workspace.path },
    });
    expect(none.stdout).toContain('--all includes other folders');
  });
});

describe('exec', () => {
  test('ends with the tokens, cost and time of the turn', async () => {
    const s = await scene(() => reply(say('done'), USAGE));
    const { stderr } = await runOxbow(['exec', 'go'], { ...s, config });
    expect(stderr).toMatch(/\n\ntokens used: 10,500, \$0\.0290, \d+\.\ds\nTo go on: oxbow exec resume \S+\n$/);
    const second = await runOxbow(['exec', 'resume', '--last', 'again'], { ...s, config });
    expect(second.stderr).toMatch(/\ntokens used: 10,500, \$0\.0290, \d+\.\ds\nTo go on: oxbow exec resume \S+\n$/);
  });

  test('--max-cost stops a model that never stops calling', async () => {
    const s = await scene(() => reply(call('exec_command', { cmd: 'true' }), USAGE));
    const result = await runOxbow(['exec', '--max-cost', '0.05', 'go'], { ...s, config });
    expect(result.code).toBe(1);
    expect(s.model.requests).toHaveLength(2);
    expect(result.stderr).toContain('tokens used: 21,000, $0.0580, ');
    expect(result.stderr).toContain('ERROR: The limit of $0.05 was reached: $0.0580 spent. It is set by --max-cost.');
  });

  test('--max-cost without a known price, or without an amount, is refused at once', async () => {
    const s = await scene([]);
    const unknown = await runOxbow(['exec', '--max-cost', '1', 'go'], s);
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('[model_prices."scripted"]\ninput = 1.0\noutput = 4.0');
    for (const amount of ['0', '-1', 'much', '1e3']) {
      const wrong = await runOxbow(['exec', `--max-cost=${amount}`, 'go'], s);
      expect(wrong.code).toBe(2);
      expect(wrong.stderr).toContain('--max-cost takes US dollars');
    }
    expect(s.model.requests).toEqual([]);
  });

  test('an incomplete price is named', async () => {
    const s = await scene([]);
    const half = await runOxbow(['exec', '-c', 'model_prices.scripted.input=1', 'go'], s);
    expect(half.code).toBe(1);
    expect(half.stderr).toContain('[model_prices.scripted] has no output');
  });
});

const CODEX_ID = '0190aaaa-0000-7000-8000-000000000000';

/** Writes two turns as Codex 0.166 writes them, and one as older versions did, without a mark at its beginning. */
function writeCodexThread(workspace: TempWorkspace): void {
  const counts = (n: number) => ({
    ...{ input_tokens: 1000 * n, cached_input_tokens: 400 * n, cache_write_input_tokens: 0 },
    ...{ output_tokens: 50 * n, reasoning_output_tokens: 20 * n, total_tokens: 1050 * n },
  });
  const turn_id = '0190aaaa-0001-7000-8000-000000000000';
  const says = (text: string) => ({ type: 'message', id: 'm', role: 'user', content: [{ type: 'input_text', text }] });
  const record = (n: number) => ({ thread_id: CODEX_ID, turn_id, usage: counts(1), thread_token_usage: counts(n) });
  const count = (n: number) => ({
    type: 'token_count',
    info: { total_token_usage: counts(n), last_token_usage: counts(1) },
  });
  const lines: [string, object][] = [
    ['session_meta', { id: CODEX_ID, timestamp: TIME, cwd: workspace.path, originator: 'codex_exec' }],
    ['event_msg', { type: 'task_started', turn_id, model_context_window: 258_400 }],
    ['response_item', says('<environment_context>\n</environment_context>')],
    ['turn_context', { turn_id, cwd: workspace.path, model: 'gpt-5.5' }],
    ['response_item', says('first prompt')],
    ['token_usage_record', record(1)],
    ['response_item', { type: 'function_call_output', call_id: 'c', output: ',"metadata":{"duration_ms":7}}' }],
    ['event_msg', count(1)],
    // The same once more, for its other fields.
    ['event_msg', count(1)],
    ['token_usage_record', record(2)],
    ['event_msg', count(2)],
    ['event_msg', { type: 'task_complete', turn_id, last_agent_message: 'done' }],
    ['turn_context', { cwd: workspace.path, model: 'gpt-5.5' }],
    ['response_item', says('older prompt')],
    ['event_msg', count(3)],
    ['event_msg', { type: 'token_count', info: null }],
  ];
  const folder = join(workspace.home, 'sessions/2024/07/13');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `rollout-2024-07-13T01-02-03-${CODEX_ID}.jsonl`),
    lines
      .map(([type, payload], ordinal) => `${JSON.stringify({ timestamp: TIME, ordinal, type, payload })}\n`)
      .join(''),
  );
}

const TIME = '2024-07-13T01:02:03.000Z';
