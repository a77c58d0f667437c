// Everything that is loaded when it is first needed, in one module: each further one would be a further file to load,
// and so would whatever it shares with the others.
export { gitDiff } from '../patch/git-diff.ts';
export { createToolCodes } from '../tools/tool-codes.ts';
export { restoreNames } from '../wire/adapt/adapt-frames.ts';
export { adaptRequest } from '../wire/adapt/adapt-request.ts';
export { learn } from '../wire/adapt/learn.ts';
export { repairStream } from '../wire/repair/repair-stream.ts';
export { loadRules, withNetworkRules } from './load-rules.ts';
export { createOwnEnvironment } from './own-environment.ts';
export { renderReview, reviewRequest } from './review.ts';
export { createThreadJudge } from './thread-judge.ts';
export { createTransport } from './transport.ts';
export { createWorktree, describeWorktree } from './worktree.ts';
