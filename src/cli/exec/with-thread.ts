import type { Agent } from '../../app/agent.ts';
import type { ExecTask, ExecValues } from './exec-task.ts';

/**
 * Returns the task with the thread that --last means, or that the user picks. The agent is that of the user's folder,
 * since a new worktree has no threads.
 */
export async function withThread(task: ExecTask, agent: Agent, values: ExecValues): Promise<ExecTask> {
  if (task.kind !== 'resume' && task.kind !== 'fork') return task;
  const anyFolder = values.all ?? false;
  if (task.kind === 'resume' && task.id === undefined) {
    const { pickThread } = await import('./pick-thread.ts');
    const needsPrompt = process.stdin.isTTY === true && values['input-format'] !== 'jsonl';
    return { ...task, ...(await pickThread(agent, { anyFolder, needsPrompt })) };
  }
  if (task.id === null) return { ...task, id: await agent.lastThread({ anyFolder }) };
  // A worktree for a thread that does not exist would stay behind.
  if (values.worktree && task.id !== undefined) await agent.threads.find({ text: task.id });
  return task;
}
