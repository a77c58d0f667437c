import type { ThreadCatalogue } from '../../base/thread-store.ts';
import { createRolloutCatalogue } from '../../store/catalogue/rollout-catalogue.ts';
import { createRolloutLocator } from '../../store/catalogue/rollout-locator.ts';

/** Returns the catalogue of the rollout files below a home, for commands that need no agent. */
export function homeCatalogue(options: { readonly home: string; readonly timezone: string }): ThreadCatalogue {
  return createRolloutCatalogue(createRolloutLocator({ ...options, now: Date.now }));
}
