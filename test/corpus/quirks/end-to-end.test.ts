import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { sampled } from '../../harness/runs.ts';
import type { ProgramResult } from '../../harness/start-program.ts';
import { type CorpusServer, type ServedRequest, servedCases, startCorpusServer } from './corpus-server.mjs';
import type { Case, ExpectedCall } from './read-corpus.mjs';
import { callsIn, type SentCall } from './read-history.mjs';

/** Tools that the program offers its model. It does not know the other tools of the corpus. */
const TOOLS: ReadonlySet<string> = new Set(['exec_command', 'shell', 'update_plan']);

const requests: ServedRequest[] = [];
let server: CorpusServer;

beforeAll(async () => {
  server = await startCorpusServer({ onRequest: (request) => void requests.push(request) });
});

afterAll(() => server.close());

const cases = [...servedCases()].filter(([, { quirk, kase }]) => isRunnable(quirk.id, kase));

test('every quirk of a response runs against the real program', () => {
  const seen = new Set(cases.map(([key]) => key.split('/')[0]));
  const missing = [...servedCases().values()].map(({ quirk }) => quirk.id).filter((id) => !seen.has(id));
  expect(missing).toEqual([]);
});

describe.concurrent('the real program', () => {
  test.for(sampled(cases))('%s', async ([key, { kase }]) => {
    const result = await runProgram(key, kase);
    const after = requests.filter((request) => request.key === key && request.stage === 'after').at(-1);
    const sent = after === undefined ? [] : callsIn(kase.wire, after.body).slice(kase.request?.call_ids?.length ?? 0);
    const { calls = [], finish, text = '' } = kase.expect ?? {};
    expect(
      sent.map(({ name, arguments: value }) => ({ name, arguments: value })),
      result.stderr,
    ).toEqual(calls);
    for (const [i, call] of sent.entries()) expect(call.output).toMatch(wantedOutput(calls[i], call));
    expect(result.code, result.stderr).toBe(finish === 'calls' || finish === 'stop' ? 0 : 1);
    if (finish === 'calls') expect(result.stdout).toBe('All done.\n');
    else expect(after).toBeUndefined();
    if (finish === 'stop') expect(result.stdout.trim()).toBe(text.trim());
  });
});

/**
 * Reports whether the program's own tools can replace those of the case: its calls are of them, or it has none, and the
 * declared tools would not make it another case.
 */
function isRunnable(quirkId: string, { expect: expected, request }: Case): boolean {
  if (expected === undefined) return false;
  if (expected.calls.length > 0) return expected.calls.every(({ name }) => TOOLS.has(name));
  const declared = request?.tools ?? [];
  const declaresOwn = declared.some(({ name }) => TOOLS.has(name));
  // Reasoning is an answer only without tools, and calls in texts depend on the declared tools.
  const dependsOnTools = quirkId.startsWith('D') || expected.repairs.includes('E11');
  return declaresOwn || (declared.length === 0 && !dependsOnTools);
}

async function runProgram(key: string, { wire, compat = {}, request, expect: expected }: Case): Promise<ProgramResult> {
  const workspace = createWorkspace({ 'schema.json': '{"type":"object"}' });
  const shell = [...(request?.tools ?? []), ...(expected?.calls ?? [])].some(({ name }) => name === 'shell');
  const provider = { wire_api: wire, stream_max_retries: 0, request_max_retries: 0, compat };
  try {
    return await runOxbow(
      ['exec', ...(request?.json_answer ? ['--output-schema', workspace.file('schema.json')] : []), 'do it'],
      {
        workspace,
        model: { url: `${server.url}/${key}/v1` },
        config: { model_providers: { scripted: provider }, ...(shell && { tools: { command: 'shell' } }) },
      },
    );
  } finally {
    workspace.dispose();
  }
}

/** Returns a pattern for the output of a call, which has the output of the command. */
function wantedOutput(expected: ExpectedCall | undefined, { name }: SentCall): RegExp {
  if (name === 'update_plan') return /^Plan updated$|missing field|invalid/;
  const marker = /quirk-[\w-]+/.exec(JSON.stringify(expected?.arguments ?? ''))?.[0];
  return marker === undefined ? /./s : new RegExp(marker, 'u');
}
