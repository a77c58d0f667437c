import type { ThreadStore } from '../base/thread-store.ts';
import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import type { AgentsText } from '../prompt/agents/compose-agents.ts';
import { openKnownWires } from '../store/files/known-wires.ts';
import { type LogFile, openLogFile } from '../store/files/log-file.ts';
import { openSeenLimits } from '../store/files/seen-limits.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createRolloutStore } from '../store/rollout-store.ts';
import type { AgentParts } from './agent-parts.ts';
import type { HomeFiles } from './home-files.ts';
import { canonicalLine } from './thread/canonical-line.ts';
import { createAgentsFiles } from './thread/create-prompts.ts';

interface Home extends HomeFiles {
  readonly logFile: LogFile;
}

/** Opens the files of the home. An agent that may not use its home keeps the same things in memory, or not at all. */
export function openHome(config: Config, world: World, ownStore: ThreadStore | undefined): Home {
  const { home, usesHome } = config;
  return {
    logFile: usesHome ? openLogFile(home) : { write() {}, close() {} },
    knownWires: usesHome ? openKnownWires(home) : new Map<string, string>(),
    seenLimits: usesHome ? openSeenLimits(home, world.now) : { note() {} },
    store: ownStore ?? (usesHome ? openHomeStore(config, world) : createMemoryStore({ now: world.now })),
  };
}

/** Returns the reader of the AGENTS.md files for a folder. A hermetic agent has none. */
export function agentsFilesOf(config: Config, world: World): AgentParts['agents'] {
  return config.hermetic ? () => NO_TEXT : createAgentsFiles(config, world);
}

const NO_TEXT: AgentsText = { text: null, faults: [] };

function openHomeStore({ home, timezone }: Config, { now }: World): ThreadStore {
  const catalogue = async () => (await import('../store/catalogue/rollout-catalogue.ts')).createRolloutCatalogue;
  return createRolloutStore({ home, timezone, now, gate: canonicalLine, catalogue });
}
