import { isDenied } from '../../base/guarded-paths.ts';
import type { World } from '../../base/world.ts';
import type { Config } from '../../config/load-config.ts';
import { createAgentsReader } from '../../prompt/agents/agents-reader.ts';
import type { AgentsText } from '../../prompt/agents/compose-agents.ts';

/** Gives what AGENTS.md files say now, for all threads of an agent. */
export function agentsFiles({ home, cwd, project, projectDocs, policy }: Config, { now }: World): () => AgentsText {
  return createAgentsReader({
    ...projectDocs,
    home,
    cwd,
    trusted: project.trusted,
    isDenied: (path) => isDenied(path, policy.sandbox),
    now,
  });
}
