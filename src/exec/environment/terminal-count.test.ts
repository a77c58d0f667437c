import { afterEach, expect, test } from 'vitest';
import { neverAborted, openScript, testEnvironment } from './test-environment.ts';

const terminals = { most: 3, running: 0 };
const environments = [testEnvironment({ terminals }), testEnvironment({ terminals })] as const;
afterEach(() => Promise.all(environments.map((environment) => environment.close())));

test('environments share a limit of running commands, and an ended command no longer counts', async () => {
  const [one, other] = environments;
  const first = await openScript(one, 'sleep 300');
  await openScript(one, 'sleep 300', { tty: true });
  await expect(openScript(other, 'true', { cwd: '/nonexistent' })).rejects.toThrow('No such file');
  await openScript(other, 'sleep 300');
  await expect(openScript(other, 'true')).rejects.toMatchObject({
    name: 'ToolFailure',
    kind: 'execution',
    message:
      '3 commands of this agent are running, and no more may. Wait until some have ended, or end them (write_stdin with "\\u0003"). The user can allow more with max_terminals under [tools] in config.toml.',
  });
  await first.terminal.kill();
  const { terminal } = await openScript(other, 'true');
  expect(await terminal.collect(20_000, neverAborted)).toMatchObject({ exitCode: 0 });
  expect(terminals.running).toBe(2);
});
