import { createThreads } from '../../app/create-threads.ts';
import type { Threads } from '../../app/threads.ts';
import { findHome } from '../../config/home.ts';
import { realWorld } from '../../config/real-world.ts';

/** The threads of the home. They can be looked at whatever config.toml says, and without a model. */
export function homeThreads(): Threads {
  return createThreads(findHome(process.env), realWorld());
}
