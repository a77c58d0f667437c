import { COUNT, FLAG, oneOf, TEXTS } from '../setting/kinds.ts';
import { setting } from '../setting/setting.ts';

export const REPORTING_SETTINGS = {
  /** Whether `exec` prints no reasoning of the model. Events and `--json` have it all the same, as in Codex. */
  hideReasoning: setting('hide_agent_reasoning', FLAG, { default: false }),
  /** Whether reasoning is shown as the model wrote it, besides its summary. */
  showRawReasoning: setting('show_raw_agent_reasoning', FLAG, { default: false }),
  /**
   * Program and its first arguments, [started](#notify) at the end of each turn that completed. Its last argument is a JSON
   * object about the turn.
   */
  notify: setting('notify', TEXTS, { default: [] }),
  /** Texts that you send in the terminal and that are kept in `history.jsonl` of the home: all of them, or none. */
  promptHistory: setting('history.persistence', oneOf('save-all', 'none'), { default: 'save-all' }),
  /** Bytes of `history.jsonl`. The oldest texts are dropped when there are more. */
  promptHistoryBytes: setting('history.max_bytes', COUNT),
  /** Whether an argv with shell operators among its words runs through a shell. */
  repairArgv: setting('repairs.argv_operators', FLAG, { default: true }),
  /** Entries that are written to the log. */
  logLevel: setting('log_level', oneOf('off', 'error', 'info', 'debug'), { default: 'info', variable: 'OXBOW_LOG' }),
  /**
   * Keys [without effect](#keys-of-codex) that you know of, such as `["tui", "hooks"]`, with all keys below them. No warning
   * names them, and they stop no run.
   */
  ignoredKeys: setting('ignored_keys', TEXTS, { default: [] }),
};
