// Everything that is loaded when it is first needed, in one module: each further one would be a further file to load,
// and so would whatever it shares with the others.
export { compactHistory } from '../engine/compact/compact-history.ts';
export { gitDiff } from '../patch/git-diff.ts';
export { compactPrompt } from '../prompt/compact-prompt.ts';
export { createCatalogue } from '../store/rollout-catalogue.ts';
export { restoreNames } from '../wire/adapt/adapt-frames.ts';
export { adaptRequest } from '../wire/adapt/adapt-request.ts';
export { learn } from '../wire/adapt/learn.ts';
export { repairStream } from '../wire/repair/repair-stream.ts';
export { createThreads } from './create-threads.ts';
export { forkThread } from './fork-thread.ts';
export { readInputLines } from './inputs/read-input-lines.ts';
export { runInputs } from './inputs/run-inputs.ts';
export { createKeeper } from './keeper.ts';
export { loadRules, withNetworkRules } from './load-rules.ts';
export { createOwnEnvironment } from './own-environment.ts';
export { renderReview, reviewRequest } from './review.ts';
export { restoreThread } from './snapshots.ts';
export { createThreadJudges } from './thread-judge.ts';
export { createTransport } from './transport.ts';
export { usageOfThread } from './usage.ts';
export { createWorktree, describeWorktree } from './worktree.ts';
