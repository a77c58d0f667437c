import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { createTestRepository, type TestRepository } from '../../exec/git/test-repository.ts';
import { reviewRequest } from './review.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = createTestRepository();
});
afterEach(() => repository.dispose());

const here = () => ({ cwd: repository.root, env: repository.env, untrustedFolders: [] });

/** Makes the branches main and topic, which part after the first commit and have one more commit each. */
function branch(): { parted: string; topic: string } {
  repository.write('a.txt', 'a\n');
  const parted = repository.commit('First');
  repository.git('checkout', '--quiet', '-b', 'topic');
  repository.write('b.txt', 'b\n');
  const topic = repository.commit('Add b\n\nIt was missing.');
  repository.git('checkout', '--quiet', 'main');
  repository.write('c.txt', 'c\n');
  repository.commit('Add c');
  repository.git('checkout', '--quiet', 'topic');
  return { parted, topic };
}

describe('uncommitted changes', () => {
  test('are reviewed from any folder of the repository', async () => {
    repository.write('lib/a.txt', 'a\n');
    const request = await reviewRequest({ kind: 'uncommitted' }, { ...here(), cwd: join(repository.root, 'lib') });
    expect(request.title).toBe('current changes');
    expect(request.prompt).toContain(`in the repository ${repository.root}:`);
    expect(request.instructions).toMatch(/^You are Oxbow, and you review code .*\S$/s);
    expect(request.schema).toMatchObject({ name: 'review', strict: true, schema: { type: 'object' } });
  });

  test('may be missing', async () => {
    repository.write('a.txt', 'a\n');
    repository.commit('First');
    await expect(reviewRequest({ kind: 'uncommitted' }, here())).rejects.toThrow(
      new UserError('nothing_to_do', `There is nothing to review: everything in ${repository.root} is committed.`),
    );
  });

  test('need a repository', async () => {
    await expect(reviewRequest({ kind: 'uncommitted' }, { ...here(), cwd: repository.folder })).rejects.toThrow(
      new UserError('not_found', `${repository.folder} is not in a git repository.`),
    );
  });
});

describe('changes against a branch', () => {
  test('begin at the merge base', async () => {
    const { parted } = branch();
    const { title, prompt } = await reviewRequest({ kind: 'base', branch: 'main' }, here());
    expect(title).toBe('changes against main');
    expect(prompt).toContain(`parted at commit ${parted}. Run \`git diff ${parted}\``);
  });

  test.each(['nothing', '--all', 'origin/main'])('%s is not a branch', async (name) => {
    branch();
    await expect(reviewRequest({ kind: 'base', branch: name }, here())).rejects.toThrow(
      new UserError(
        'not_found',
        `"${name}" is not a branch or commit of ${repository.root}. Fetch a remote branch first and name it like origin/main.`,
      ),
    );
  });

  test('may be missing', async () => {
    branch();
    await expect(reviewRequest({ kind: 'base', branch: 'topic' }, here())).rejects.toThrow(
      new UserError('nothing_to_do', `There is nothing to review: ${repository.root} has no changes against topic.`),
    );
  });

  test('need a commit in common', async () => {
    branch();
    repository.git('checkout', '--quiet', '--orphan', 'other');
    repository.commit('Begin anew');
    await expect(reviewRequest({ kind: 'base', branch: 'main' }, here())).rejects.toThrow(
      new UserError('invalid_input', `main and what is checked out in ${repository.root} have no commit in common.`),
    );
  });

  test('need a commit that is checked out', async () => {
    branch();
    repository.git('checkout', '--quiet', '--orphan', 'other');
    await expect(reviewRequest({ kind: 'base', branch: 'main' }, here())).rejects.toThrow('has no commits yet');
  });
});

describe('a commit', () => {
  test('is named with its whole id and its subject', async () => {
    const { topic } = branch();
    const { title, prompt } = await reviewRequest({ kind: 'commit', sha: topic.slice(0, 8) }, here());
    expect(title).toBe(`commit ${topic.slice(0, 7)}: Add b`);
    expect(prompt).toContain(`commit ${topic} ("Add b")`);
    expect(prompt).toContain(`\`git show ${topic}\``);
  });

  test('is named with the title that was given', async () => {
    const { topic } = branch();
    const { title } = await reviewRequest({ kind: 'commit', sha: 'topic', title: 'The letter b' }, here());
    expect(title).toBe(`commit ${topic.slice(0, 7)}: The letter b`);
  });

  test('that merges is compared with its first parent', async () => {
    const { topic } = branch();
    repository.git('merge', '--quiet', '--no-edit', 'main');
    const merge = repository.git('rev-parse', 'HEAD');
    const { prompt } = await reviewRequest({ kind: 'commit', sha: 'HEAD' }, here());
    expect(prompt).toContain(`\`git diff ${topic} ${merge}\``);
  });

  test.each(['nothing', 'f'.repeat(40), '--help'])('is not named by %s', async (sha) => {
    branch();
    await expect(reviewRequest({ kind: 'commit', sha }, here())).rejects.toThrow(
      new UserError('not_found', `"${sha}" does not name a commit of ${repository.root}.`),
    );
  });
});

describe('a request in words', () => {
  test('needs no repository', async () => {
    const target = { kind: 'custom', prompt: 'Look at the doors.' } as const;
    const { prompt, title } = await reviewRequest(target, { ...here(), cwd: repository.folder });
    expect([prompt, title]).toEqual(['Look at the doors.', 'Look at the doors.']);
  });

  test('must not be empty', async () => {
    await expect(reviewRequest({ kind: 'custom', prompt: ' \n' }, here())).rejects.toThrow(UserError);
  });
});
