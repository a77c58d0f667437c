import type { Agent } from '../../app/agent.ts';
import type { ReviewTarget } from '../../app/commands/review.ts';
import type { ExecRun } from './run-thread.ts';

/** A review as a run: its own instructions, and an answer that is made readable. */
export async function reviewRun(
  agent: Agent,
  target: ReviewTarget,
): Promise<Pick<ExecRun, 'input' | 'open' | 'finish'>> {
  const { renderReview, reviewRequest } = await import('../../app/commands/review.ts');
  const { cwd, env } = agent.config;
  const { prompt, instructions } = await reviewRequest(target, { cwd, env });
  return {
    input: prompt,
    open: (options) => agent.startThread({ ...options, instructions }),
    finish: (answer) => renderReview(answer).text,
  };
}
