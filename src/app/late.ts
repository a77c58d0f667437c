// Everything that is loaded when it is first needed, in one module: each further one would be a further file to load,
// and so would whatever it shares with the others.
export { compactHistory } from '../engine/compact/compact-history.ts';
export { gitDiff } from '../patch/git-diff.ts';
export { compactPrompt } from '../prompt/compact-prompt.ts';
export { createCatalogue } from '../store/catalogue/rollout-catalogue.ts';
export { restoreNames } from '../wire/adapt/adapt-frames.ts';
export { adaptRequest } from '../wire/adapt/adapt-request.ts';
export { learn } from '../wire/adapt/learn.ts';
export { repairStream } from '../wire/repair/repair-stream.ts';
export { renderReview, reviewRequest } from './commands/review.ts';
export { createWorktree, describeWorktree } from './commands/worktree.ts';
export { readInputLines } from './inputs/read-input-lines.ts';
export { runInputs } from './inputs/run-inputs.ts';
export { createKeeper } from './thread/keeper.ts';
export { loadRules, withNetworkRules } from './thread/load-rules.ts';
export { createOwnEnvironment } from './thread/own-environment.ts';
export { createThreadJudges } from './thread/thread-judge.ts';
export { createTransport } from './thread/transport.ts';
export { createThreads } from './threads/create-threads.ts';
export { forkThread } from './threads/fork-thread.ts';
export { restoreThread } from './threads/snapshots.ts';
export { usageOfThread } from './threads/usage.ts';
