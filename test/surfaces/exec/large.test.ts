import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { call, fault, raw, reply, say } from '../../../src/testing/index.ts';
import { startOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import type { ConfigTable } from '../../harness/scripted-config.ts';
import { startEndlessServer } from '../gateway/faults/endless-text.ts';

/** Runs the program and returns its peak memory in MB, as the kernel counted it. */
async function run(
  s: Pick<Scene, 'workspace'> & { readonly model: { readonly url: string } },
  config: ConfigTable = {},
) {
  const program = await startOxbow(['exec', '--json', 'go'], { ...s, config, timeoutMs: 110_000 });
  let peak = 0;
  const poll = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${program.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    } catch {
      // The process has ended.
    }
  }, 20);
  const result = await program.wait();
  clearInterval(poll);
  return { ...result, peak };
}

test('a command that prints hundreds of megabytes leaves a bounded output and bounded memory', async () => {
  const s = await scene([
    reply(
      call(
        'exec_command',
        { cmd: 'yes 0123456789abcde | head -c 400000000; echo end', yield_time_ms: 30_000 },
        { callId: 'big' },
      ),
    ),
    reply(say('done')),
  ]);
  const result = await run(s);
  expect(result.code).toBe(0);
  const output = s.outputs(1).get('big') ?? '';
  expect(output).toContain('Process exited with code 0');
  expect(output).toContain('Warning: truncated output');
  expect(output.endsWith('end\n')).toBe(true);
  expect(Buffer.byteLength(output)).toBeLessThan(12_000);
  expect(result.peak).toBeGreaterThan(0);
  expect(result.peak).toBeLessThan(200);
  const shown = String(result.events.find(({ type }) => type === 'item.completed')?.item?.aggregated_output);
  expect(shown.length).toBeLessThan(1.1 * 1024 * 1024);
  expect(shown).toMatch(/\.\.\. \d+ bytes omitted \.\.\./);
});

test('a line of ten megabytes of JSON, in small pieces, is read', async () => {
  const text = 'x'.repeat(10_000_000);
  const s = await scene([fault.split(reply(raw({ type: 'response.some_future_event', text }), say('done')), 4096)]);
  const result = await run(s);
  expect(result.code).toBe(0);
  expect(result.peak).toBeLessThan(250);
});

test('bytes that are not UTF-8 do no harm, in a stream or in an output', async () => {
  const s = await scene([
    reply(call('exec_command', { cmd: "printf 'a\\377\\300z'; head -c 2000 /dev/urandom" }, { callId: 'bytes' })),
    reply(say('done')),
  ]);
  const result = await run(s);
  expect(result.code).toBe(0);
  expect(s.outputs(1).get('bytes')).toContain('a\ufffd\ufffdz');
});

test.each([
  ['chat', 'text'],
  ['chat', 'reasoning'],
  ['responses', 'text'],
  ['responses', 'reasoning'],
] as const)('an answer over %s whose %s does not end is given up after 16 MiB', async (wire_api, kind) => {
  const server = await startEndlessServer(kind);
  const { workspace } = await scene([]);
  const result = await run(
    { workspace, model: { url: server.url } },
    { model_providers: { scripted: { wire_api, stream_max_retries: 1 } } },
  );
  expect(result.code, result.stderr).toBe(1);
  expect(result.stderr + result.stdout).toContain('characters of text in one answer');
  expect(server.exchanges).toHaveLength(1);
  expect((server.sent[0] ?? 0) / 1024 / 1024).toBeLessThan(64);
  expect(result.peak).toBeLessThan(400);
});
