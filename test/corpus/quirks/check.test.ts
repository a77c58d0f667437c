import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const NODE = JSON.stringify(process.execPath);
const CLIENT = `${NODE} ${JSON.stringify(join(import.meta.dirname, 'naive-client.mjs'))} {url} {model}`;

test('a client that believes every finish reason fails the wrong ones and passes the right ones', async () => {
  const { code, stdout } = await check('--only', 'A1,A3/call,B6/whole-calls', '--wire', 'chat', '--json');
  const results = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { case: string; result: string; why: string });
  const of = (key: string) => results.find((one) => one.case === key);
  expect(code).toBe(1);
  expect(of('A1/healthy')?.result).toBe('pass');
  expect(of('A1/length-stays')?.result).toBe('pass');
  expect(of('A3/call')?.result).toBe('pass');
  expect(of('A1/text-then-call')).toMatchObject({
    result: 'fail',
    why: 'it ran nothing, expected exec_command({"cmd":"echo quirk-a1"})',
  });
  expect(of('A1/whole-body')).toMatchObject({ result: 'skip', why: 'it has no tool list_dir' });
  expect(of('B6/whole-calls')?.result).toBe('fail');
});

test('the table ends with a summary, and a client that sends no request is not judged', async () => {
  const { code, stdout } = await check('--only', 'A1/healthy', '--command', 'true');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^skip {2}A1\/healthy +it asked for nothing over chat\n0 passed, 0 failed, 1 skipped\n$/);
});

test('without a command it prints its usage', async () => {
  const { code, stdout } = await run(['check.mjs']);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^Usage: node check\.mjs --command/);
});

test('the list of served cases names each with its wire', async () => {
  const { stdout } = await run(['serve.mjs', '--list']);
  expect(stdout).toMatch(/^A1\/text-then-call +chat +Some text/);
});

const check = (...args: string[]) => run(['check.mjs', '--command', CLIENT, ...args]);

async function run([script = '', ...args]: string[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args]);
  const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: Number(code), stdout };
}
