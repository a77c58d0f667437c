import type { ThreadCatalogue } from '../../base/thread-store.ts';
import { createCatalogue } from '../../store/catalogue/rollout-catalogue.ts';
import { createPlaces } from '../../store/catalogue/rollout-places.ts';

/** Returns the threads that are kept as files below a home, for commands that need no agent. */
export function homeCatalogue(options: { readonly home: string; readonly timezone: string }): ThreadCatalogue {
  return createCatalogue(createPlaces({ ...options, now: Date.now }));
}
