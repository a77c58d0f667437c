import { UserError } from '../../base/errors.ts';
import type { OutputSchema } from '../../base/model.ts';
import { type GitOptions, gitFailure, readGit, runGit } from '../../exec/git/git.ts';
import { differsFrom, findCommit, findHead, findRepository, hasChanges } from '../../exec/git/git-repository.ts';
import instructions from '../../prompt/review/instructions.md';
import { type ReviewPrompt, type ReviewScope, reviewPrompt } from '../../prompt/review/review-prompt.ts';
import { reviewSchema } from '../../prompt/review/review-schema.ts';

export { renderReview } from '../../prompt/review/render-review.ts';

/** Changes that the user wants to have reviewed. */
export type ReviewTarget =
  | { readonly kind: 'uncommitted' }
  /** Everything since the working files parted from a branch or from another commit. */
  | { readonly kind: 'base'; readonly branch: string }
  /** The title replaces the subject of the commit. */
  | { readonly kind: 'commit'; readonly sha: string; readonly title?: string }
  | { readonly kind: 'custom'; readonly prompt: string };

export interface ReviewRequest extends ReviewPrompt {
  /** Text that replaces the base instructions. */
  readonly instructions: string;
  /** Shape of the answer, for servers that can enforce one. */
  readonly schema: OutputSchema;
}

/** Returns the request for a review. Throws `UserError` when the target does not exist or has nothing to review. */
export async function reviewRequest(target: ReviewTarget, place: GitOptions): Promise<ReviewRequest> {
  return {
    ...reviewPrompt(await findScope(target, place)),
    instructions: instructions.trim(),
    schema: { name: 'review', strict: true, schema: reviewSchema },
  };
}

async function findScope(target: ReviewTarget, place: GitOptions): Promise<ReviewScope> {
  if (target.kind === 'custom') {
    if (target.prompt.trim() === '')
      throw new UserError('invalid_input', 'The request for a review is empty. Say what to review.');
    return target;
  }
  const { root } = await findRepository(place);
  const top = { ...place, cwd: root };
  if (target.kind === 'base') return baseScope(target.branch, top);
  if (target.kind === 'commit') return commitScope(target, top);
  if (await hasChanges(top)) return { kind: 'uncommitted', root };
  throw new UserError('nothing_to_do', `There is nothing to review: everything in ${root} is committed.`);
}

async function baseScope(branch: string, place: GitOptions): Promise<ReviewScope> {
  const { cwd: root } = place;
  const base = await findCommit(branch, place);
  if (base === undefined) {
    throw new UserError(
      'not_found',
      `"${branch}" is not a branch or commit of ${root}. Fetch a remote branch first and name it like origin/main.`,
    );
  }
  const mergeBase = await findMergeBase(branch, base, place);
  if (await differsFrom(mergeBase, place)) return { kind: 'base', root, branch, mergeBase };
  throw new UserError('nothing_to_do', `There is nothing to review: ${root} has no changes against ${branch}.`);
}

async function findMergeBase(branch: string, base: string, place: GitOptions): Promise<string> {
  const args = ['merge-base', await findHead(place), base];
  const output = await runGit(args, place);
  if (output.exitCode === 1) {
    throw new UserError('invalid_input', `${branch} and what is checked out in ${place.cwd} have no commit in common.`);
  }
  if (output.exitCode !== 0) throw gitFailure(args, place.cwd, output);
  return output.stdout.trim();
}

async function commitScope(
  { sha: name, title }: Extract<ReviewTarget, { kind: 'commit' }>,
  place: GitOptions,
): Promise<ReviewScope> {
  const { cwd: root } = place;
  const sha = await findCommit(name, place);
  if (sha === undefined) throw new UserError('not_found', `"${name}" does not name a commit of ${root}.`);
  const facts = await readGit(['log', '-1', '--no-show-signature', '--no-color', '--format=%P%n%s', sha], place);
  const [parents = '', subject = ''] = facts.split('\n');
  return { kind: 'commit', root, sha, subject: title ?? subject, parents: parents.split(' ').filter(Boolean) };
}
