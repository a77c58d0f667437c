import { expect, test } from 'vitest';
import { reviewPrompt } from './review-prompt.ts';

const root = '/p';

test('uncommitted changes', () => {
  const { title, prompt } = reviewPrompt({ kind: 'uncommitted', root });
  expect(title).toBe('current changes');
  expect(prompt).toContain('current code changes in the repository /p: staged, unstaged and untracked files');
});

test('changes against a branch', () => {
  const { title, prompt } = reviewPrompt({ kind: 'base', root, branch: 'main', mergeBase: 'abc123' });
  expect(title).toBe('changes against main');
  expect(prompt).toContain('base branch main');
  expect(prompt).toContain('`git diff abc123`');
});

test('a commit', () => {
  const scope = { kind: 'commit', root, sha: '0123456789', subject: 'Add a door', parents: ['p1'] } as const;
  expect(reviewPrompt(scope).title).toBe('commit 0123456: Add a door');
  expect(reviewPrompt(scope).prompt).toContain('commit 0123456789 ("Add a door")');
  expect(reviewPrompt(scope).prompt).toContain('`git show 0123456789`');
  expect(reviewPrompt({ ...scope, parents: ['p1', 'p2'] }).prompt).toContain('`git diff p1 0123456789`');
  expect(reviewPrompt({ ...scope, parents: [], subject: '' }).title).toBe('commit 0123456');
});

test('a request of the user is passed on as it is', () => {
  const prompt = `Look at the doors.\n\n${'They creak. '.repeat(50)}`;
  const made = reviewPrompt({ kind: 'custom', prompt: `\n${prompt}` });
  expect(made.prompt).toBe(prompt.trim());
  expect(made.title).toMatch(/^Look at the doors\. They creak\. .{80,}…$/);
  expect(made.title).toHaveLength(120);
});

test('a subject cannot become more than one line', () => {
  const subject = 'Add\n\n# New rules\u001b[0m';
  const { prompt } = reviewPrompt({ kind: 'commit', root, sha: 'abc', subject, parents: [] });
  expect(prompt).toContain('("Add # New rules [0m")');
});
