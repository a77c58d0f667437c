import { describe, expect, test } from 'vitest';
import { isSummary } from '../../../../src/base/summary.ts';
import { createAgent } from '../../../../src/index.ts';
import { call, fault, reply, say, think } from '../../../../src/testing/index.ts';
import { foldLines } from '../../../harness/fold-lines.ts';
import { type LibraryScene, libraryScene } from '../../../harness/library-scene.ts';
import { scriptedConfig } from '../../../harness/scripted-config.ts';
import { asksForSummary, counting, echo, expectValidRequests, outline, textOf, withSummaries } from './scene.ts';

const LIMIT = { model_auto_compact_token_limit: 20_000 };
const SUMMARY = reply(think('hm'), say('All is well so far.'), counting(21_100));

const inputs = ({ model }: LibraryScene) => model.requests.map(({ body }) => outline(body.input));
const compactions = ({ events }: LibraryScene) => events.filter((event) => event.type === 'compacted');

const warnings = ({ events }: LibraryScene) =>
  events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));

async function runTurns(s: LibraryScene, ...inputs: string[]) {
  const thread = await s.agent.startThread(s.threadOptions());
  const results = [];
  for (const input of inputs) results.push(await thread.run(input));
  await thread.close();
  return { thread, results };
}

describe('a thread that has grown to its limit', () => {
  test('is compacted in the middle of a turn, which goes on with the user’s messages and the summary', async () => {
    const s = await libraryScene(
      [reply(echo('one'), counting(21_000)), SUMMARY, reply(say('done'), counting(500))],
      LIMIT,
    );
    const { results } = await runTurns(s, 'do it');
    expect(results[0]).toMatchObject({ status: 'completed', finalResponse: 'done', usage: { totalTokens: 42_600 } });
    const [, asked, after] = s.model.requests;
    expect(asked?.body).toMatchObject({ tools: [], parallel_tool_calls: false });
    expect(asked && asksForSummary(asked)).toBe(true);
    expect(outline(after?.body.input)).toEqual(['permissions', 'environment', 'user: do it', 'summary']);
    expect(textOf(after?.body.input?.at(-1))).toMatch(/\nAll is well so far\.$/);
    expect(after?.body.tools).not.toEqual([]);
    expect(compactions(s)).toMatchObject([{ reason: 'limit', before: expect.any(Number), after: expect.any(Number) }]);
    expectValidRequests(s);
  });

  test('writes lines from which the thread can be resumed', async () => {
    const s = await libraryScene(
      [reply(echo('one'), counting(21_000)), SUMMARY, reply(say('done'), counting(500))],
      LIMIT,
    );
    const { thread } = await runTurns(s, 'do it');
    const lines = s.rollout();
    const at = lines.findIndex(({ type }) => type === 'compacted');
    expect(lines[at - 1]).toMatchObject({
      payload: { kind: 'checkpoint', requests: 2, usage: { total_tokens: 42_100 } },
    });
    expect(lines[at]).toMatchObject({ payload: { message: expect.stringContaining('All is well') } });
    expect(lines[at + 1]).toMatchObject({ payload: { kind: 'prefix.changed', cause: 'compaction' } });
    const resumed = await s.agent.resumeThread(thread.id);
    expect(resumed.state).toEqual(foldLines(lines));
    await resumed.close();
  });

  test('is compacted before a turn, and the environment is sent again', async () => {
    const s = await libraryScene(
      [reply(say('one'), counting(21_000)), SUMMARY, reply(say('two'), counting(500))],
      LIMIT,
    );
    const { results } = await runTurns(s, 'first', 'second');
    expect(results.map(({ finalResponse }) => finalResponse)).toEqual(['one', 'two']);
    expect(inputs(s)[2]).toEqual(['user: first', 'summary', 'permissions', 'environment', 'user: second']);
    expectValidRequests(s);
  });

  test('is not compacted when nothing is left to send', async () => {
    const s = await libraryScene([reply(say('one'), counting(21_000))], LIMIT);
    await runTurns(s, 'first');
    expect(s.model.requests).toHaveLength(1);
  });

  test('without usage from the server is estimated', async () => {
    const script = withSummaries(reply(say('S'), { omitUsage: true }), [
      reply(say('one'), { omitUsage: true }),
      reply(say('two'), { omitUsage: true }),
      reply(say('three'), { omitUsage: true }),
    ]);
    const s = await libraryScene(script, { model_auto_compact_token_limit: 40_000 });
    await runTurns(s, 'x'.repeat(80_000), 'second', 'y'.repeat(120_000));
    expect(s.model.requests.map(asksForSummary)).toEqual([false, false, true, false]);
  });

  test('counts the input of the turn, which must not be truncated', async () => {
    const s = await libraryScene([reply(say('one'), counting(19_000)), SUMMARY, reply(say('two'))], LIMIT);
    await runTurns(s, 'first', 'z'.repeat(8000));
    expect(textOf(s.model.requests[2]?.body.input?.at(-1))).toHaveLength(8000);
  });

  test('is not compacted with a limit of -1', async () => {
    const s = await libraryScene([reply(echo('one'), counting(900_000)), reply(say('done'))], {
      model_auto_compact_token_limit: -1,
    });
    await runTurns(s, 'do it');
    expect(s.model.requests).toHaveLength(2);
  });

  test('is measured against the window of the model', async () => {
    const s = await libraryScene([reply(echo('one'), counting(21_000)), SUMMARY, reply(say('done'))], {
      model_context_window: 22_000,
    });
    await runTurns(s, 'do it');
    expect(s.model.requests.map(asksForSummary)).toEqual([false, true, false]);
  });

  test('is compacted again, and the earlier summary is replaced', async () => {
    const s = await libraryScene(
      withSummaries(SUMMARY, [
        reply(say('one'), counting(21_000)),
        reply(echo('two'), counting(900)),
        reply(say('two'), counting(21_000)),
        reply(say('three'), counting(500)),
      ]),
      LIMIT,
    );
    await runTurns(s, 'first', 'second', 'third');
    expect(inputs(s).at(-1)).toEqual([
      'user: first',
      'user: second',
      'summary',
      'permissions',
      'environment',
      'user: third',
    ]);
  });

  test('that stays over its limit is not compacted with every request', async () => {
    const s = await libraryScene(
      withSummaries(SUMMARY, [
        reply(echo('one'), counting(21_000)),
        reply(echo('two'), counting(21_000)),
        reply(echo('three'), counting(21_000)),
        reply(say('done')),
      ]),
      { model_auto_compact_token_limit: 100 },
    );
    await runTurns(s, 'do it');
    expect(s.model.requests.filter(asksForSummary)).toHaveLength(1);
  });

  test('is not compacted with every request for a server that counts far too much', async () => {
    const calls = Array.from({ length: 15 }, (_, n) => reply(echo(`out ${n}`), counting(10_000_000)));
    const s = await libraryScene(withSummaries(SUMMARY, [...calls, reply(say('done'), counting(10_000_000))]), LIMIT);
    await runTurns(s, 'do it');
    expect(s.model.requests.filter(asksForSummary)).toHaveLength(1);
    expect(warnings(s)).toEqual([expect.stringMatching(/still counts 10000000 tokens .*the thread is estimated\.$/)]);
    expect(s.outputs(16).size).toBe(14);
    expectValidRequests(s);
  });

  test('is compacted by the estimate for such a server, and by its counts once they are plausible', async () => {
    const s = await libraryScene(
      withSummaries(SUMMARY, [
        reply(echo('one'), counting(10_000_000)),
        reply(call('exec_command', { cmd: 'head -c 40000 /dev/zero | tr "\\0" y', max_output_tokens: 20_000 }), {
          usage: { inputTokens: 9_000_000, outputTokens: 1 },
        }),
        reply(call('exec_command', { cmd: 'head -c 39000 /dev/zero | tr "\\0" y', max_output_tokens: 20_000 }), {
          usage: { inputTokens: 9_000_000, outputTokens: 1 },
        }),
        reply(echo('two'), counting(9_000_000)),
        reply(echo('three'), counting(15_000)),
        reply(echo('four'), counting(21_000)),
        reply(say('done'), counting(500)),
      ]),
      { ...LIMIT, tool_output_token_limit: 20_000 },
    );
    await runTurns(s, 'do it');
    expect(s.model.requests.map(asksForSummary)).toEqual([
      ...[false, true, false, false, true],
      ...[false, false, false, true, false],
    ]);
    expectValidRequests(s);
  });

  test('on a server that drops the beginning of requests in silence is noticed, once', async () => {
    const cmd = 'head -c 20000 /dev/zero | tr "\\0" z';
    const calls = Array.from({ length: 10 }, () => reply(call('exec_command', { cmd }), counting(8000)));
    const s = await libraryScene([...calls, reply(say('done'), counting(8000))]);
    await runTurns(s, 'do it');
    expect(warnings(s)).toEqual([
      expect.stringMatching(/counts about 8000 tokens for each request, .*Set model_context_window to the number/),
    ]);
  });

  test('on a server that counts little is not mistaken for one that is cut', async () => {
    const cmd = 'head -c 20000 /dev/zero | tr "\\0" z';
    const calls = Array.from({ length: 8 }, (_, n) => reply(call('exec_command', { cmd }), counting(2000 * (n + 1))));
    const s = await libraryScene([...calls, reply(say('done'), counting(18_000))]);
    await runTurns(s, 'do it');
    expect(warnings(s)).toEqual([]);
  });

  test('keeps the newest 20,000 tokens of the user’s messages, and truncates the oldest of them', async () => {
    const s = await libraryScene(
      withSummaries(SUMMARY, [reply(say('a')), reply(say('b')), reply(say('c'), counting(250_000)), reply(say('d'))]),
    );
    await runTurns(s, `gone ${'g'.repeat(1000)}`, `cut ${'x'.repeat(60_000)} cut`, 'k'.repeat(40_000), 'next');
    const [cut, kept, summary] = s.model.requests.at(-1)?.body.input ?? [];
    expect(textOf(cut)).toMatch(/^cut x+…\d+ tokens truncated…x+ cut$/);
    expect(textOf(cut).length).toBeGreaterThan(30_000);
    expect(textOf(cut).length).toBeLessThan(40_100);
    expect(textOf(kept)).toHaveLength(40_000);
    expect(summary && isSummary(summary)).toBe(true);
  });
});

describe('the request for a summary', () => {
  test('is retried when its response breaks off', async () => {
    const s = await libraryScene(
      [reply(echo('one'), counting(21_000)), fault.cut(SUMMARY, 300), SUMMARY, reply(say('done'))],
      LIMIT,
    );
    const { results } = await runTurns(s, 'do it');
    expect(results[0]?.status).toBe('completed');
    expect(s.events.filter(({ type }) => type === 'retry')).toHaveLength(1);
  });

  test('is retried when the model calls a tool instead, and the call does not run', async () => {
    const s = await libraryScene(
      [
        reply(echo('one'), counting(21_000)),
        reply(call('exec_command', { cmd: 'touch ran' })),
        SUMMARY,
        reply(say('done')),
      ],
      LIMIT,
    );
    const { results } = await runTurns(s, 'do it');
    expect(results[0]?.status).toBe('completed');
    expect(textOf(s.model.requests[2]?.body.input?.at(-1))).toMatch(/No tool can be called now\.$/);
    expect(s.events.filter(({ type }) => type === 'call.started')).toHaveLength(1);
    expectValidRequests(s);
  });

  test('fails the turn when the model writes no summary and the history does not fit, which is then unchanged', async () => {
    const s = await libraryScene(withSummaries(reply(say('')), [reply(say('one'), counting(21_000))]), {
      model_context_window: 20_000,
    });
    const thread = await s.agent.startThread(s.threadOptions());
    await thread.run('first');
    const before = [...thread.state.history];
    const result = await thread.run('second');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_response', message: expect.stringMatching(/could not be compacted .*wrote no summary/) },
    });
    expect(thread.state.history).toEqual(before);
    await thread.close();
  });

  test('fails the turn when the server refuses it and the history does not fit', async () => {
    const s = await libraryScene(
      withSummaries(fault.status(401, { error: { message: 'bad key' } }), [reply(say('one'), counting(21_000))]),
      { model_context_window: 20_000 },
    );
    const { results } = await runTurns(s, 'first', 'second');
    expect(results[1]?.error).toMatchObject({
      code: 'auth',
      message: expect.stringContaining('could not be compacted'),
    });
  });

  test('that fails does not fail the turn while the history fits, and is not repeated with each request', async () => {
    const s = await libraryScene(
      withSummaries(fault.status(400, { error: { message: 'not now' } }), [
        reply(say('one'), counting(21_000)),
        reply(echo('two'), counting(21_100)),
        reply(echo('three'), counting(21_200)),
        reply(say('done'), counting(21_300)),
      ]),
      LIMIT,
    );
    const { results } = await runTurns(s, 'first', 'second');
    expect(results[1]).toMatchObject({ status: 'completed', finalResponse: 'done' });
    expect(s.model.requests.filter(asksForSummary)).toHaveLength(1);
    expect(warnings(s)).toEqual([
      expect.stringMatching(/could not be compacted .*not now.* The turn goes on: its next request still fits\.$/),
    ]);
    expectValidRequests(s);
  });

  test('that fails is repeated when the history no longer fits', async () => {
    const refusal = fault.status(401, { error: { message: 'not now' } });
    let asked = 0;
    const others = [
      reply(echo('one'), counting(21_000)),
      reply(echo('two'), counting(21_500)),
      reply(echo('three'), counting(23_000)),
      reply(say('done'), counting(500)),
    ];
    const s = await libraryScene(
      (request) => (asksForSummary(request) ? (asked++ === 0 ? refusal : SUMMARY) : others.shift()),
      { ...LIMIT, model_context_window: 22_900 },
    );
    const { results } = await runTurns(s, 'go');
    expect(results[0]).toMatchObject({ status: 'completed', finalResponse: 'done' });
    expect(s.model.requests.map(asksForSummary)).toEqual([false, true, false, false, true, false]);
  });

  test('may be answered with a text that is too long, which is cut so that the history becomes shorter', async () => {
    const long = reply(say(`begin ${'word '.repeat(20_000)} end`), counting(21_000));
    const cmd = 'head -c 30000 /dev/zero | tr "\\0" z';
    const s = await libraryScene(
      withSummaries(long, [reply(call('exec_command', { cmd }), counting(11_000)), reply(say('done'))]),
      { model_context_window: 12_000 },
    );
    await runTurns(s, 'do it');
    const [compacted] = compactions(s);
    expect(compacted?.after).toBeLessThan(compacted?.before ?? 0);
    const summary = textOf(s.model.requests.at(-1)?.body.input?.at(-1));
    expect(summary).toMatch(/\nbegin word word .*…\d+ tokens truncated….*word {2}end$/);
    // A quarter of the limit, which is 90 % of the window.
    expect(summary.length).toBeLessThan(4 * 2700 + 400);
  });

  test('names the tools for a server that refuses calls without them', async () => {
    const s = await libraryScene((request, n) => {
      if (!asksForSummary(request)) return n === 1 ? reply(echo('one'), counting(21_000)) : reply(say('done'));
      return request.body.tools?.length === 0 ? fault.status(400, 'tools= must be passed') : SUMMARY;
    }, LIMIT);
    const { results } = await runTurns(s, 'do it');
    expect(results[0]?.status).toBe('completed');
    expect(s.model.requests[2]?.body).toMatchObject({ tool_choice: 'none', parallel_tool_calls: false });
  });

  test('accepts a summary that was cut off, and marks it', async () => {
    const s = await libraryScene(
      [
        reply(echo('one'), counting(21_000)),
        reply(say('Half of it'), { incomplete: 'max_output_tokens' }),
        reply(say('done')),
      ],
      LIMIT,
    );
    await runTurns(s, 'do it');
    expect(textOf(s.model.requests[2]?.body.input?.at(-1))).toMatch(/Half of it\n\[The summary was cut off here\.\]$/);
  });

  test('uses the prompt of the config, or that of a file', async () => {
    for (const given of [{ compact_prompt: 'Sum up.' }, { experimental_compact_prompt_file: 'prompt.md' }]) {
      const s = await libraryScene([reply(echo('one'), counting(21_000)), SUMMARY, reply(say('done'))], {
        ...LIMIT,
        ...given,
      });
      s.workspace.write('../home/prompt.md', 'Sum up.\n');
      await runTurns(s, 'do it');
      expect(textOf(s.model.requests[1]?.body.input?.at(-1))).toBe('Sum up.');
    }
  });
});

describe('another model with a smaller window', () => {
  const goOn = async (s: LibraryScene, threadId: string, more: Record<string, unknown>) => {
    s.workspace.configure(scriptedConfig(s.model.url, { model: 'small', ...LIMIT, ...more }));
    const env = { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, PATH: process.env.PATH, SCRIPTED_KEY: 'k' };
    const agent = createAgent({ env, cwd: s.workspace.path });
    const thread = await agent.resumeThread(threadId);
    const result = await thread.run('second');
    await thread.close();
    return result;
  };

  test('gets a summary from the previous model', async () => {
    const s = await libraryScene([reply(say('one'), counting(21_000)), SUMMARY, reply(say('two'))]);
    const { thread } = await runTurns(s, 'first');
    expect(await goOn(s, thread.id, {})).toMatchObject({ status: 'completed' });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'scripted', 'small']);
  });

  test('writes the summary itself when the previous model is gone', async () => {
    const gone = fault.status(404, { error: { message: 'no such model' } });
    const s = await libraryScene([reply(say('one'), counting(21_000)), gone, SUMMARY, reply(say('two'))]);
    const { thread } = await runTurns(s, 'first');
    expect(await goOn(s, thread.id, {})).toMatchObject({ status: 'completed' });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'scripted', 'small', 'small']);
  });

  test('writes the summary itself on another provider', async () => {
    const s = await libraryScene([reply(say('one'), counting(21_000)), SUMMARY, reply(say('two'))]);
    const { thread } = await runTurns(s, 'first');
    const other = { name: 'Other', base_url: s.model.url, wire_api: 'responses', env_key: 'SCRIPTED_KEY' };
    await goOn(s, thread.id, { model_provider: 'other', model_providers: { other } });
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'small', 'small']);
  });
});
