import type { Environment } from '../base/environment.ts';
import { closeInheritedDescriptors } from '../exec/close-inherited-descriptors.ts';
import { createLocalEnvironment, type LocalEnvironmentOptions } from '../exec/local-environment.ts';

export interface OwnEnvironmentOptions extends LocalEnvironmentOptions {
  readonly ownProcess: boolean;
}

/** Processes on this machine, which end with this process whatever happens. */
export function createOwnEnvironment({ ownProcess, ...options }: OwnEnvironmentOptions): Environment {
  const channel = options.baseEnv.NODE_CHANNEL_FD;
  if (ownProcess) closeInheritedDescriptors(channel === undefined ? undefined : Number(channel));
  const environment = createLocalEnvironment(options);
  process.once('exit', environment.closeSync);
  return {
    ...environment,
    async close() {
      await environment.close();
      process.off('exit', environment.closeSync);
    },
  };
}
