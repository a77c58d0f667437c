import { lazy } from '../base/lazy.ts';

/** Loads the code that is not needed before the first request. Once: to import it again takes its time too. */
export const loadLate = lazy(() => import('./late.ts'));
