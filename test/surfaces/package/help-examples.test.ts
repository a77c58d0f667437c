import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../../src/cli/commands/index.ts';
import { verbs } from '../../../src/cli/threads/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { runnable, threadOf } from './doc-examples.ts';
import { NOT_RUN } from './not-run.ts';
import { runShown } from './run-shown.ts';

/** Lines that print a help, in the order in which their examples run: a thread is archived before it is taken out. */
const helps = [
  ['help'],
  ...Object.keys(commands).map((name) => [name, '--help']),
  ...Object.keys(verbs).map((name) => ['threads', name, '--help']),
];

/** Downloads a program with a hundred packages. test/surfaces/mcp-server/inspector.test.ts runs it where it is installed. */
const DOWNLOADS = 'npx @modelcontextprotocol/inspector ';

test('every help has an example, and every example runs', async () => {
  const s = await scene(({ body }) =>
    body.tools?.length && body.input?.at(-1)?.type === 'message'
      ? reply(call('exec_command', { cmd: 'touch touched' }))
      : reply(say('Done.')),
  );
  const replaced = await prepare(s);
  for (const line of helps) {
    const { stdout } = await runOxbow(line, { workspace: s.workspace });
    const [, example] = /^Example:\n {2}(.+)\n$/m.exec(stdout) ?? [];
    expect(example, `oxbow ${line.join(' ')} has no example`).toBeDefined();
    const command = runnable({ command: example ?? '' }, replaced);
    if (command in NOT_RUN || command.startsWith(DOWNLOADS)) continue;
    const { code, stdout: printed, stderr } = await runShown(s, command);
    expect(code, `${command}\n${printed}${stderr}`).toBe(0);
  }
});

/** Makes the files, the profile and the thread that the examples name. Returns the texts that are replaced in them. */
async function prepare({ workspace, model }: Scene): Promise<Readonly<Record<string, string>>> {
  workspace.configure(
    scriptedConfig(model.url, {
      snapshots: { enabled: true },
      profiles: { fast: { model: 'small' } },
    }),
  );
  mkdirSync(workspace.file('my-project'));
  workspace.write('team.rules', 'prefix_rule(pattern = ["git", "push"], decision = "prompt")\n');
  const run = async (...args: string[]) => (await runOxbow(args, { workspace })).stdout;
  const ids = await threadOf(run, '01a1dfaa-5614', 'one', 'two', 'three');
  return {
    ...ids,
    'http://localhost:8000/v1 --write my-server': 'scripted',
    'oxbow trust ~/site': 'oxbow trust --yes',
    'oxbow demo': 'TMPDIR=$PWD oxbow demo --fast',
  };
}
