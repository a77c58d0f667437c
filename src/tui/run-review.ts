import type { Agent } from '../app/agent.ts';
import type { ThreadOptions } from '../app/agent-parts.ts';
import type { ReviewTarget } from '../app/commands/review.ts';
import type { Thread } from '../app/thread/thread.ts';
import type { Event } from '../base/event.ts';
import type { TuiMessage } from './message.ts';
import { answerEntries } from './view/entry.ts';

export interface ReviewOptions extends Required<Pick<ThreadOptions, 'onEvent' | 'ask'>> {
  /** Called with the thread of the review, which can be interrupted. */
  onThread(thread: Thread): void;
}

/** Runs a review in a thread of its own. Its commands are shown, and at its end the findings as text. */
export async function runReview(
  agent: Agent,
  target: ReviewTarget,
  { onEvent, ask, onThread }: ReviewOptions,
): Promise<readonly TuiMessage[]> {
  const { renderReview, reviewRequest } = await import('../app/commands/review.ts');
  const { gitCaller } = await import('../app/commands/git-caller.ts');
  const place = { ...(await gitCaller(agent.config)), cwd: agent.config.cwd };
  const { prompt, instructions } = await reviewRequest(target, place);
  const model = agent.config.reviewModel;
  const thread = await agent.startThread({
    ask,
    instructions,
    onEvent: (event) => (isShown(event) ? onEvent(event) : undefined),
    ...(model === null ? {} : { model }),
  });
  onThread(thread);
  try {
    const { status, finalResponse } = await thread.run(prompt);
    if (status !== 'completed') return [];
    return [{ type: 'said', entries: answerEntries(renderReview(finalResponse).text) }];
  } finally {
    await thread.close();
  }
}

/** Reports whether an event of a review is shown. Its answer is data, and the prompt is ours. */
function isShown(event: Event): boolean {
  if (event.type === 'text.delta' || event.type === 'context' || event.type === 'usage') return false;
  if (!('item' in event)) return true;
  return event.item.type !== 'agent_message' && event.item.type !== 'user_message';
}
