import { lazy } from '../base/lazy.ts';

/** Loads the code that is not needed before the first request. Only once, since importing it again takes time too. */
export const loadLate = lazy(() => import('./late.ts'));
