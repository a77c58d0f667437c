import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { processesWith } from '../../harness/processes.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const ADDRESS = '127.0.0.2';
const canRun = existsSync('/usr/bin/bwrap') && spawnSync('curl', ['--version']).status === 0;

describe.skipIf(!canRun)('commands from the model', () => {
  let origin: Server;
  let url: string;
  beforeEach(async () => {
    origin = createServer((_, answer) => answer.end('hello'));
    await new Promise<void>((done) => origin.listen(0, ADDRESS, done));
    url = `http://${ADDRESS}:${(origin.address() as AddressInfo).port}/`;
  });
  afterEach(() => {
    origin.close();
    origin.closeAllConnections();
  });

  test('reach allowed hosts, and refused hosts are named in the output', async () => {
    const { model, workspace, outputs } = await scene([
      reply(
        call('exec_command', { cmd: `curl -sS ${url}` }, { callId: 'good' }),
        call('exec_command', { cmd: 'curl -sS https://evil.test/' }, { callId: 'evil' }),
      ),
      reply(say('done')),
    ]);
    const config = {
      sandbox_mode: 'workspace-write',
      sandbox_workspace_write: { allowed_domains: [ADDRESS] },
    };
    const { code, marker } = await runOxbow(['exec', '--skip-git-repo-check', 'go'], { workspace, model, config });
    expect(code).toBe(0);
    expect(outputs(1).get('good')).toContain('hello');
    expect(outputs(1).get('evil')).toContain('The sandbox refused connections to evil.test');
    expect(outputs(1).get('evil')).toContain('allowed_domains');
    await vi.waitFor(() => expect(processesWith(marker)).toEqual([]), 20_000);
  });
});
