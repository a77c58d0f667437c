import { dirname } from 'node:path';
import { createAgent } from '../../app/agent.ts';
import type { CommandItem, Event } from '../../base/event.ts';
import type { Settings } from '../../config/settings.ts';
import { ORIGINS } from '../wording.ts';
import type { ScratchProject } from './scratch-project.ts';
import { demoScript, loadTesting, PROMPT, type ScriptOptions } from './script.ts';

export type DemoSandbox = 'workspace-write' | 'danger-full-access';

export interface DemoOptions extends ScriptOptions {
  readonly project: ScratchProject;
  readonly sandbox: DemoSandbox;
  readonly path: string | undefined;
  readonly signal: AbortSignal;
  onEvent(event: Event): void;
}

export interface DemoResult {
  readonly status: 'completed' | 'failed' | 'aborted' | 'suspended';
  /** Exit codes of the runs of the test, in order. Null for a run without one. */
  readonly testExits: readonly (number | null)[];
}

/** Runs one real turn on the scripted model. The result has the exit codes of the real processes. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const testing = await loadTesting();
  const model = await testing.startScriptedModel(demoScript(testing, options));
  try {
    const { status, commands } = await runTurn(model.url, options);
    const tests = commands.filter(({ argv }) => argv.at(-1) === options.test);
    return { status, testExits: tests.map(({ exitCode }) => exitCode) };
  } finally {
    await model.close();
  }
}

/**
 * Reports whether commands can run in the sandbox on this machine. Runs one to find out, in the same way as all others.
 */
export async function sandboxWorks(options: Pick<DemoOptions, 'project' | 'path' | 'signal'>): Promise<boolean> {
  const { startScriptedModel, reply, call, say } = await loadTesting();
  const model = await startScriptedModel([
    reply(call('exec_command', { cmd: 'true', login: false })),
    reply(say('Done.')),
  ]);
  try {
    const { commands } = await runTurn(model.url, { ...options, sandbox: 'workspace-write', onEvent() {} });
    return commands[0]?.exitCode === 0;
  } finally {
    await model.close();
  }
}

/** Returns the name of this machine's sandbox. */
export async function sandboxName({ project, path }: Pick<DemoOptions, 'project' | 'path'>): Promise<string> {
  const { lookForSandbox } = await import('../../app/commands/run-in-sandbox.ts');
  const place = { cwd: project.folder, env: demoEnvironment(project, path) };
  const { type } = await lookForSandbox(place, { mode: 'workspace-write', writableRoots: [], network: false });
  return NAMES[type] ?? type;
}

const NAMES: Readonly<Record<string, string>> = { landlock: 'Landlock', seatbelt: 'Seatbelt' };

type TurnOptions = Pick<DemoOptions, 'project' | 'sandbox' | 'path' | 'signal' | 'onEvent'>;

async function runTurn(url: string, { project, sandbox, path, signal, onEvent }: TurnOptions) {
  const commands: CommandItem[] = [];
  const agent = createAgent({
    ownProcess: true,
    originator: 'oxbow_demo',
    cwd: project.folder,
    env: demoEnvironment(project, path),
    origins: ORIGINS,
    settings: demoSettings(url, sandbox),
  });
  const thread = await agent.startThread({
    ephemeral: true,
    onEvent(event) {
      if (event.type === 'item.completed' && event.item.type === 'command') commands.push(event.item);
      onEvent(event);
    },
  });
  try {
    const { status } = await thread.run(PROMPT, { signal });
    return { status, commands };
  } finally {
    await agent.close();
  }
}

/** Returns variables of which only the PATH is the user's. The Node that runs this comes first on it. */
function demoEnvironment({ root, home }: ScratchProject, path = '') {
  return { PATH: `${dirname(process.execPath)}:${path}:/usr/bin:/bin`, HOME: home, OXBOW_HOME: home, TMPDIR: root };
}

function demoSettings(url: string, sandbox: DemoSandbox): Settings {
  return {
    model: 'script',
    model_provider: 'demo',
    model_providers: { demo: { name: 'Demo', base_url: url, wire_api: 'responses' } },
    approval_policy: 'never',
    sandbox_mode: sandbox,
    sandbox_workspace_write: { exclude_slash_tmp: true, exclude_tmpdir_env_var: true },
  };
}
