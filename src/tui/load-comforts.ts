import type { Agent } from '../app/agent.ts';
import { told } from './commands/notice.ts';
import type { TuiMessage } from './message.ts';

/** Prompts of earlier threads that can be recalled. */
const MOST_PROMPTS = 1000;

const NO_MARKDOWN =
  'Answers are shown as they were written, because the part of Oxbow that draws Markdown cannot be loaded. Install Oxbow again.';

/** Loads what the first frame does not wait for: the renderer of Markdown, the branch, and earlier prompts. */
export async function loadComforts(agent: Agent, send: (message: TuiMessage) => void): Promise<void> {
  const loaded = await import('../markdown/render-block.ts').catch(() => null);
  send({ type: 'look', look: { renderBlock: loaded?.renderBlock ?? null } });
  if (loaded === null) send(told(NO_MARKDOWN, 'warning'));
  const { config } = agent;
  send({ type: 'prompts', prompts: await agent.promptHistory.recent(MOST_PROMPTS) });
  const { currentBranch } = await import('../app/commands/uncommitted-diff.ts');
  send({ type: 'branch', branch: await currentBranch(config) });
}
