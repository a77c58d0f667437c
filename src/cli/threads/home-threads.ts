import { createThreads } from '../../app/threads/create-threads.ts';
import { homeCatalogue } from '../../app/threads/home-catalogue.ts';
import type { Threads } from '../../app/threads/threads.ts';
import { findHome } from '../../config/home.ts';
import { findTimezone } from '../../config/timezone.ts';

/** Returns the threads of the home. Needs neither config.toml nor a model. */
export function homeThreads(): Threads {
  return createThreads(homeCatalogue({ home: findHome(process.env), timezone: findTimezone(process.env) }));
}
