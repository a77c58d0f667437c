import type { Environment } from '../../base/environment.ts';
import { createUuidV7 } from '../../base/uuid.ts';
import { findOwnCommands } from '../../exec/environment/find-own-commands.ts';
import {
  createLocalEnvironment,
  type LocalEnvironment,
  type LocalEnvironmentOptions,
} from '../../exec/environment/local-environment.ts';
import { closeInheritedDescriptors } from '../../exec/process/close-inherited-descriptors.ts';
import { leadsThrough } from '../../exec/sandbox/follow-path.ts';
import { emptyCoreFiles } from '../../node-internals/empty-core-files.ts';
import { keepHeapSmall } from '../../node-internals/keep-heap-small.ts';

export interface OwnEnvironmentOptions extends LocalEnvironmentOptions {
  readonly ownProcess: boolean;
  /** Folders that commands can write to, as far as a sandbox limits them. */
  readonly writableFolders: readonly string[];
}

export type OwnEnvironment = Environment & Pick<LocalEnvironment, 'refusedHosts' | 'findUntrusted'>;

/** Returns an environment of processes on this machine. The processes end with this process, however it ends. */
export function createOwnEnvironment({
  ownProcess,
  writableFolders,
  ...options
}: OwnEnvironmentOptions): OwnEnvironment {
  const channel = options.baseEnv.NODE_CHANNEL_FD;
  if (ownProcess) {
    closeInheritedDescriptors(channel === undefined ? undefined : Number(channel));
    emptyCoreFiles();
    keepHeapSmall();
  }
  // A bundle that is not an ES module has no `import.meta.dirname`.
  const paths = [import.meta.dirname, process.execPath] as (string | undefined)[];
  const own = paths.find((path) => path !== undefined && leadsThrough(path, writableFolders));
  if (own !== undefined) options.onNote?.(changeable(own));
  const commands = findOwnCommands(import.meta.dirname);
  const environment = createLocalEnvironment({
    ...(commands ? { commands } : {}),
    id: createUuidV7({ now: Date.now, random: Math.random })(),
    ...options,
  });
  if (open.size === 0) process.on('exit', closeAll);
  open.add(environment.closeSync);
  return {
    ...environment,
    async close() {
      await environment.close();
      open.delete(environment.closeSync);
      if (open.size === 0) process.off('exit', closeAll);
    },
  };
}

function changeable(path: string): string {
  return `Commands can change Oxbow itself, which is not protected from them: ${path} lies in a folder that they can write to. Install it elsewhere.`;
}

/**
 * Functions that end an environment at once. One exit listener serves all environments, of which there may be a
 * thousand.
 */
const open = new Set<() => void>();

function closeAll(): void {
  for (const close of open) close();
}
