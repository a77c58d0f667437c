import { tmpdir } from 'node:os';
import { isInside } from '../../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../../base/policy.ts';
import type { Launch } from '../../process/launch.ts';
import type { PresentPlaces } from '../places.ts';
import { canonical, findWritablePaths } from '../writable-paths.ts';
import { seatbeltArgv } from './seatbelt.ts';

export interface SeatbeltCommand {
  readonly policy: SandboxPolicy;
  readonly places: PresentPlaces;
  readonly argv: readonly string[];
  /** Shows a note to the user, each once. */
  tell(note: string): void;
}

/**
 * Returns the launch of a command in Seatbelt. Its program becomes the command, so there is no launcher that could read
 * descriptors.
 */
export function createSeatbeltLaunch({ policy, places, argv, tell }: SeatbeltCommand): Launch {
  const paths = findWritablePaths(places);
  paths.notes.forEach(tell);
  const present = (path: string) => canonical(path) ?? [];
  const isWritable = (path: string) => paths.roots.some((root) => root.path === path || isInside(path, root.path));
  const flags = seatbeltArgv(policy, {
    ...paths,
    hidden: [...places.hidden.map(({ path }) => path), ...places.awaited],
    socketFolders: [tmpdir()].flatMap(present).filter(isWritable),
  });
  return {
    argv: [...flags, ...argv],
    commandAt: flags.length,
    descriptors: [],
    env: {},
    supervises: false,
    end() {},
  };
}
