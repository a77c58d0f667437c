import type { World } from '../../src/base/world.ts';
import {
  type Agent,
  type AgentOptions,
  createAgent,
  type Event,
  type Thread,
  type ThreadOptions,
} from '../../src/index.ts';
import type { Script } from '../../src/testing/index.ts';
import { watchUntilEnd } from './replay-rollouts.ts';
import { type Scene, scene } from './scene.ts';
import { type ConfigTable, scriptedConfig } from './scripted-config.ts';

export interface LibraryScene extends Scene {
  readonly agent: Agent;
  readonly events: Event[];
  /** Waits of the agent between its attempts, in milliseconds. The agent did not really wait. */
  readonly waits: number[];
  threadOptions(more?: ThreadOptions): ThreadOptions;
}

/** Creates an agent in this process, on a scripted model, in a world where waiting takes no time. */
export async function libraryScene(
  script: Script,
  config: ConfigTable = {},
  options: AgentOptions = {},
): Promise<LibraryScene> {
  const s = await scene(script);
  s.workspace.configure(scriptedConfig(s.model.url, config));
  const waits: number[] = [];
  const events: Event[] = [];
  const agent = createAgent({
    env: { HOME: s.workspace.home, OXBOW_HOME: s.workspace.home, PATH: process.env.PATH, SCRIPTED_KEY: 'scripted-key' },
    cwd: s.workspace.path,
    world: impatientWorld(waits),
    ...options,
  });
  return {
    ...s,
    agent: watchedAgent(agent, s.workspace.home),
    events,
    waits,
    threadOptions: (more) => ({ onEvent: (event) => events.push(event), ...more }),
  };
}

/** Returns an agent whose threads are compared with their logs at the end of the test. */
function watchedAgent(agent: Agent, home: string): Agent {
  const watch = (thread: Thread): Thread => {
    const rawReasoning = agent.config.showRawReasoning;
    thread.subscribe(watchUntilEnd({ id: thread.id, home, rawReasoning }));
    return thread;
  };
  return {
    ...agent,
    startThread: async (options) => watch(await agent.startThread(options)),
    resumeThread: async (id, options) => watch(await agent.resumeThread(id, options)),
    forkThread: async (id, options) => watch(await agent.forkThread(id, options)),
  };
}

/** Counts over all scenes: these ids tell commands apart, and scenes may run at the same time. */
let ids = 0;

function impatientWorld(waits: number[]): World {
  return {
    now: Date.now,
    monotonic: () => Math.floor(performance.now()),
    uuid: () => `00000000-0000-7000-8000-${(process.pid * 1e6 + ++ids).toString(16).padStart(12, '0')}`,
    random: () => 0.5,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
    },
  };
}
