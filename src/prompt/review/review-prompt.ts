/** Changes to review, with the facts about them. */
export type ReviewScope =
  | { readonly kind: 'uncommitted'; readonly root: string }
  | { readonly kind: 'base'; readonly root: string; readonly branch: string; readonly mergeBase: string }
  | {
      readonly kind: 'commit';
      readonly root: string;
      readonly sha: string;
      readonly subject: string;
      readonly parents: readonly string[];
    }
  | { readonly kind: 'custom'; readonly prompt: string };

export interface ReviewPrompt {
  /** Text for the model. */
  readonly prompt: string;
  /** One short line for people. */
  readonly title: string;
}

const TITLE_LENGTH = 120;

/** Returns the text that asks the model for a review. */
export function reviewPrompt(scope: ReviewScope): ReviewPrompt {
  switch (scope.kind) {
    case 'uncommitted':
      return {
        title: 'current changes',
        prompt: [
          `Review the current code changes in the repository ${scope.root}: staged, unstaged and untracked files.`,
          '`git status --short` lists them, `git diff --staged` and `git diff` show them; read untracked files as they are.',
        ].join('\n'),
      };
    case 'base':
      return {
        title: `changes against ${oneLine(scope.branch)}`,
        prompt: [
          `Review the code changes in the repository ${scope.root} against the base branch ${oneLine(scope.branch)}.`,
          `The two have parted at commit ${scope.mergeBase}. Run \`git diff ${scope.mergeBase}\` to see what would be merged.`,
        ].join('\n'),
      };
    case 'commit':
      return commitPrompt(scope);
    case 'custom':
      return { title: oneLine(scope.prompt), prompt: scope.prompt.trim() };
  }
}

function commitPrompt({ root, sha, subject, parents }: Extract<ReviewScope, { kind: 'commit' }>): ReviewPrompt {
  const [parent] = parents;
  // For a merge, `git show` prints only the differences from all parents.
  const command = parent !== undefined && parents.length > 1 ? `git diff ${parent} ${sha}` : `git show ${sha}`;
  const name = oneLine(subject);
  return {
    title: oneLine(`commit ${sha.slice(0, 7)}${name === '' ? '' : `: ${name}`}`),
    prompt: [
      `Review the code changes that commit ${sha}${name === '' ? '' : ` ("${name}")`} brings into the repository ${root}.`,
      `Run \`${command}\` to see them. The working files may be at another commit: \`git show ${sha}:PATH\` gives a whole file.`,
    ].join('\n'),
  };
}

function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= TITLE_LENGTH ? line : `${characters.slice(0, TITLE_LENGTH - 1).join('')}…`;
}
