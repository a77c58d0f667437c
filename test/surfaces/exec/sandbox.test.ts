import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';

async function outputOf(cmd: string, args: string[], more: Parameters<typeof runOxbow>[1] | object = {}) {
  const s = await scene([reply(call('exec_command', { cmd }, { callId: 'c' })), reply(say('done'))]);
  const result = await runOxbow(['exec', '--json', ...args, 'go'], { ...s, ...more });
  expect(result.code).toBe(0);
  return { output: s.outputs(1).get('c') ?? '', ...s, result };
}

describe.skipIf(!existsSync(BUBBLEWRAP))('bubblewrap', () => {
  test('read-only: commands run and read, but write nothing', async () => {
    const { output, workspace } = await outputOf('echo hi; cat .git/HEAD; echo no > file; echo no > /tmp/oxbow-no', [
      '-s',
      'read-only',
    ]);
    expect(output).toContain('hi\nref: ');
    expect(output.match(/Read-only file system/g)).toHaveLength(2);
    expect(existsSync(workspace.file('file'))).toBe(false);
  });

  test('workspace-write: the workspace and added folders are writable, everything else and .git are not', async () => {
    const extra = (await scene([])).workspace.path;
    const { output, workspace } = await outputOf(
      `echo yes > file; echo yes > ${extra}/file; echo no > .git/config; echo no > "$HOME/file"; echo tmp > "$(mktemp)"`,
      ['-s', 'workspace-write', '--add-dir', extra],
    );
    expect(workspace.read('file')).toBe('yes\n');
    expect(readFileSync(join(extra, 'file'), 'utf8')).toBe('yes\n');
    // The home of the test lies below /tmp, which is writable. Only .git is checked here.
    expect(output).toMatch(/\.git\/config: Read-only file system/);
    expect(workspace.read('.git/config')).not.toContain('no');
  });

  test('workspace-write without /tmp: nothing outside the workspace is writable', async () => {
    const { output, workspace } = await outputOf('echo yes > file; echo no > "$HOME/file"; echo no > /tmp/oxbow-no', [
      ...['-s', 'workspace-write', '-c', 'sandbox_workspace_write.exclude_slash_tmp=true'],
    ]);
    expect(workspace.read('file')).toBe('yes\n');
    expect(output.match(/Read-only file system/g)).toHaveLength(2);
  });

  test('there is no network unless the config allows it', async () => {
    const server = createServer((socket) => socket.end('reached\n')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const connect = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3'; echo "$CODEX_SANDBOX_NETWORK_DISABLED."`;
    try {
      const off = await outputOf(connect, ['-s', 'workspace-write']);
      expect(off.output).not.toContain('reached');
      expect(off.output).toContain('1.');
      const on = await outputOf(connect, [
        '-s',
        'workspace-write',
        '-c',
        'sandbox_workspace_write.network_access=true',
      ]);
      expect(on.output).toContain('reached');
    } finally {
      server.close();
    }
  });

  test('leaving the sandbox is refused when there is no user to ask', async () => {
    const s = await scene([
      reply(
        call(
          'exec_command',
          { cmd: 'touch x', sandbox_permissions: 'require_escalated', justification: 'please' },
          { callId: 'c' },
        ),
      ),
      reply(say('done')),
    ]);
    const result = await runOxbow(['exec', '--json', '-s', 'workspace-write', 'go'], s);
    expect(s.outputs(1).get('c')).toMatch(/^approval policy is Never; reject command/);
    expect(existsSync(s.workspace.file('x'))).toBe(false);
    const items = result.events.filter(({ type }) => type === 'item.completed').map(({ item }) => item);
    const commands = items.filter((item) => item?.type === 'command_execution');
    expect(commands).toMatchObject([{ status: 'declined', exit_code: null }]);
  });
});
