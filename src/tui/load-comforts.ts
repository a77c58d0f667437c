import type { Agent } from '../app/agent.ts';
import type { TuiMessage } from './message.ts';

/** Prompts of earlier threads that can be recalled. */
const MOST_PROMPTS = 1000;

/** Loads what the first frame does not wait for: the renderer of Markdown, the branch, and earlier prompts. */
export async function loadComforts(agent: Agent, send: (message: TuiMessage) => void): Promise<void> {
  const { renderBlock } = await import('../markdown/render-block.ts');
  send({ type: 'look', look: { renderBlock } });
  const { config } = agent;
  send({ type: 'prompts', prompts: await agent.promptHistory.recent(MOST_PROMPTS) });
  const { currentBranch } = await import('../app/commands/uncommitted-diff.ts');
  send({ type: 'branch', branch: await currentBranch(config) });
}
