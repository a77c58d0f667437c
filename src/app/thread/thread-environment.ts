import type { ThreadSetup } from '../../engine/turn-setup.ts';
import type { AgentParts } from '../agent-parts.ts';
import { commandVariables } from './command-variables.ts';
import type { OwnEnvironment } from './own-environment.ts';
import { environmentWithWarmUp } from './warm-up.ts';
import { warnAs } from './warn-as.ts';

/** Returns the environment of a thread. Its code is loaded when it is used, or when the first request was sent. */
export function environmentOf(
  { config, provider, world, ownProcess, terminals, warmUps, pace, ownEnvironment }: AgentParts,
  threadId: string,
  emit: ThreadSetup['emit'],
): OwnEnvironment {
  return environmentWithWarmUp(async () => {
    if (ownEnvironment) return ownEnvironment({ threadId, cwd: config.cwd });
    const { createOwnEnvironment } = await import('./own-environment.ts');
    await pace.begin();
    const { mode, writableRoots } = config.policy.sandbox;
    return createOwnEnvironment({
      world,
      threadId,
      ownProcess,
      terminals,
      version: OXBOW_VERSION,
      cwd: config.cwd,
      ...(config.usesHome && { home: config.home }),
      loginProfile: !config.hermetic && config.shellEnvironment.allowLoginShell,
      writableFolders: mode === 'workspace-write' ? writableRoots : [],
      shell: config.shell,
      baseEnv: config.env,
      environmentPolicy: commandVariables(config, provider),
      onNote: warnAs(emit, 'commands'),
    });
  }, warmUps);
}
