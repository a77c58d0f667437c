import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createWorkspace } from '../../../src/testing/index.ts';
import { startChatGptServer } from '../../harness/authorization-server.ts';
import { CODEX, codexCommand } from '../../harness/run-codex.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';

function newWorkspace() {
  const workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  return workspace;
}

if (CODEX) {
  test('an auth.json with a key that Codex wrote is ours, and ours is that of Codex', async () => {
    const workspace = newWorkspace();
    const path = join(workspace.home, 'auth.json');
    await codexCommand({ workspace }, ['login', '--with-api-key'], 'sk-0123456789abcdef');
    const written = readFileSync(path, 'utf8');
    const status = await runOxbow(['login', 'status'], { workspace });
    expect(status).toMatchObject({ code: 0, stdout: `Signed in with an API key, from ${path}.\n` });
    await runOxbow(['login', '--with-api-key'], { workspace, stdin: 'sk-0123456789abcdef' });
    expect(readFileSync(path, 'utf8')).toBe(written);
    expect(await codexCommand({ workspace }, ['login', 'status'])).toMatchObject({
      code: 0,
      text: expect.stringContaining('API key configured'),
    });
    await runOxbow(['logout'], { workspace });
    expect((await codexCommand({ workspace }, ['login', 'status'])).code).toBe(1);
  });

  test('Codex knows a sign-in with ChatGPT that we made', async () => {
    const workspace = newWorkspace();
    const server = await startChatGptServer();
    const config = `[auth]\nissuer = "${server.url}"\ncallback_ports = [0]\n`;
    workspace.configure(config);
    const program = await startOxbow(['login'], { workspace });
    await fetch(await program.waitForError(/http:\/\/\S+\/oauth\/\S+/));
    expect((await program.wait()).code).toBe(0);
    expect(await codexCommand({ workspace }, ['login', 'status'])).toMatchObject({
      code: 0,
      text: expect.stringContaining('Logged in using ChatGPT'),
    });
  });
} else {
  test('without Codex, a file in its form is read all the same', async () => {
    expect(CODEX).toBeFalsy();
    const workspace = newWorkspace();
    const path = join(workspace.home, 'auth.json');
    writeFileSync(path, '{\n  "auth_mode": "apikey",\n  "OPENAI_API_KEY": "sk-0123456789abcdef"\n}');
    const status = await runOxbow(['login', 'status'], { workspace });
    expect(status).toMatchObject({ code: 0, stdout: `Signed in with an API key, from ${path}.\n` });
  });
}
