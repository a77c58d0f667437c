export type { ExecEvent as ThreadEvent, ExecItem as ThreadItem, ExecUsage as Usage } from '../../events/exec-events.ts';
export { Codex } from './codex.ts';
export type { CodexOptions } from './codex-options.ts';
export {
  type CodexInput as Input,
  CodexThread as Thread,
  type RunResult,
  type RunStreamedResult,
  type TurnOptions,
  type UserInput,
} from './thread.ts';
export type {
  ApprovalMode,
  CodexSandboxMode as SandboxMode,
  CodexThreadOptions as ThreadOptions,
  CodexWebSearchMode as WebSearchMode,
  ModelReasoningEffort,
} from './thread-options.ts';
