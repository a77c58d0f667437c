import { lazy, lazyMethods } from '../base/lazy.ts';
import type { World } from '../base/world.ts';
import type { Config } from '../config/load-config.ts';
import { createMemoryDrafts, type Drafts, openDrafts } from '../store/files/drafts.ts';
import type { PromptHistory } from '../store/files/prompt-history.ts';
import type { AgentLife } from './agent-life.ts';

/** Texts of the user that the home keeps for a surface in which the user writes. */
export interface OwnTexts {
  /**
   * The texts that the user sent, in `history.jsonl` of the home. A surface adds them; turns of a program are not in it.
   *
   * @example
   * const [last] = await agent.promptHistory.recent(1);
   */
  readonly promptHistory: PromptHistory;
  /** Texts that the user has not sent yet, in `drafts` of the home. */
  readonly drafts: Drafts;
}

/** Returns the texts of a home. An agent that may not use its home has drafts in memory and no history. */
export function createOwnTexts(config: Config, { now }: World, life: AgentLife): OwnTexts {
  const { home, usesHome, promptHistory, promptHistoryBytes: maxBytes } = config;
  const isKept = usesHome && promptHistory !== 'none';
  const history = lazy(async () => {
    const { NO_PROMPT_HISTORY, openPromptHistory } = await import('../store/files/prompt-history.ts');
    return isKept ? openPromptHistory({ home, maxBytes, now }) : NO_PROMPT_HISTORY;
  });
  const drafts = usesHome ? openDrafts(home, now) : createMemoryDrafts();
  return {
    promptHistory: lazyMethods(() => life.run(history), ['add', 'recent']),
    drafts: {
      read: (key) => life.run(() => drafts.read(key)),
      write: (key, draft) => life.run(() => drafts.write(key, draft)),
      remove: (key) => life.run(() => drafts.remove(key)),
      // A signal may come while the agent is closing.
      writeSync: drafts.writeSync,
    },
  };
}
