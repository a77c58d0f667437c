import type { Agent } from '../../app/agent.ts';
import type { Worktree } from '../../app/commands/worktree.ts';

/** Makes a worktree for a run and prints a note about it. */
export async function openWorktree({ config }: Agent, id: string): Promise<Worktree> {
  const { createWorktree } = await import('../../app/commands/worktree.ts');
  const { gitCaller } = await import('../../app/commands/git-caller.ts');
  const { cwd, home } = config;
  const worktree = await createWorktree({ cwd, home, git: await gitCaller(config), id });
  process.stderr.write(`${worktree.note}\n`);
  return worktree;
}

/** Prints the state of the worktree after a run. */
export async function reportWorktree(worktree: Worktree, { config }: Agent): Promise<void> {
  const { describeWorktree } = await import('../../app/commands/worktree.ts');
  const { gitCaller } = await import('../../app/commands/git-caller.ts');
  const { text } = await describeWorktree(worktree, { git: await gitCaller(config) });
  process.stderr.write(`${text}\n`);
}
