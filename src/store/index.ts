export { chooseThread, type NamedThread } from '../base/choose-thread.ts';
export { LostThread, UserError } from '../base/errors.ts';
export { noThread } from '../base/no-thread.ts';
export type * from '../base/public-types.ts';
export { type Fork, forkLines } from '../log/fork-lines.ts';
export { encodeLine } from '../log/rollout-line.ts';
export { fitsQuery, type ThreadFacts, threadFacts } from '../log/thread-facts.ts';
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory-store.ts';
