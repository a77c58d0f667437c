import { dirname, join } from 'node:path';
import type { Agent } from '../app/agent.ts';
import type { AgentOptions } from '../app/agent-options.ts';
import { isRecord } from '../base/json-schema.ts';
import { createWorld } from './create-world.ts';
import type { Script } from './script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { createWorkspace, type TempWorkspace } from './temp-workspace.ts';
import { type ReplyWireName, STANDARD_WIRE_NAME } from './wires/index.ts';

/** Options of `testAgent`: those of `createAgent`, and the surroundings of the agent. */
export interface TestAgentOptions extends AgentOptions {
  /** Wire on which the agent asks the model. The default is `responses`. */
  readonly wire?: ReplyWireName;
  /** Files of the workspace, as name → content. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

/** An agent on a scripted model, in a workspace of its own. */
export interface TestAgent {
  /** The agent. */
  readonly agent: Agent;
  /** The model that answers by the script. */
  readonly model: ScriptedModel;
  /** The working folder of the agent, and its home. */
  readonly workspace: TempWorkspace;
  /**
   * Throws an error that names the requests without an answer, and the answers that were not asked for. To be called at
   * the end of a test.
   */
  assertDone(): void;
  /** Closes the agent and the model, and deletes the workspace. Does not check the script. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts an agent on a scripted model, in a temporary workspace with a home of its own. Waits between attempts take no
 * time, commands run without a sandbox, and no configuration, key or variable of this machine is used. Options of
 * `createAgent` change any of this; `settings` and `env` are merged into those of the test.
 *
 * @example
 * await using t = await testAgent([reply(say('There are three.'))], { files: { 'a.txt': 'one' } });
 * const thread = await t.agent.startThread();
 * const { finalResponse } = await thread.run('how many?');
 * t.assertDone();
 */
export async function testAgent(script: Script, options: TestAgentOptions = {}): Promise<TestAgent> {
  const { wire = STANDARD_WIRE_NAME, files, env, settings, ...given } = options;
  const { createAgent } = await import('../app/agent.ts');
  const workspace = createWorkspace(files);
  const model = await startScriptedModel(script);
  const discard = async () => {
    await model.close();
    workspace.dispose();
  };
  try {
    const agent = createAgent({
      cwd: workspace.path,
      systemFile: join(workspace.home, 'no-system-config.toml'),
      world: createWorld({ skipSleep: true }),
      ...given,
      env: { ...testEnv(workspace.home), ...env },
      settings: merge(testSettings(model.url, wire), { ...settings }),
    });
    const close = async () => {
      try {
        await agent.close();
      } finally {
        await discard();
      }
    };
    return { agent, model, workspace, assertDone: model.assertDone, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await discard();
    throw error;
  }
}

type Tree = Readonly<Record<string, unknown>>;

function testSettings(url: string, wire: string): Tree {
  return {
    model: 'scripted',
    model_provider: 'scripted',
    sandbox_mode: 'danger-full-access',
    model_providers: { scripted: { base_url: url, wire_api: wire } },
    models: { scripted: { context_window: 272_000 } },
  };
}

/** Returns variables that are the same on every machine. Commands find Node and the programs of the system. */
function testEnv(home: string): NonNullable<AgentOptions['env']> {
  const path = [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(':');
  return { PATH: path, HOME: home, OXBOW_HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' };
}

function merge(base: Tree, over: Tree): Tree {
  const merged = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isRecord(below) && isRecord(value) ? merge(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(merged) };
}
