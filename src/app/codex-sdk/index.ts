export type { ExecEvent as ThreadEvent, ExecItem as ThreadItem, ExecUsage as Usage } from '../../events/exec-events.ts';
export { Codex } from './codex.ts';
export type { CodexOptions } from './codex-options.ts';
export {
  type Input,
  type RunResult,
  type RunStreamedResult,
  Thread,
  type TurnOptions,
  type UserInput,
} from './thread.ts';
export type {
  ApprovalMode,
  ModelReasoningEffort,
  SandboxMode,
  ThreadOptions,
  WebSearchMode,
} from './thread-options.ts';
