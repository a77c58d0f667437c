export { Codex } from './codex.ts';
export type { CodexConfigObject, CodexConfigValue, CodexOptions } from './codex-options.ts';
export type {
  CodexErrorEvent as ThreadErrorEvent,
  CodexEvent as ThreadEvent,
  CodexItemCompleted as ItemCompletedEvent,
  CodexItemStarted as ItemStartedEvent,
  CodexItemUpdated as ItemUpdatedEvent,
  CodexThreadError as ThreadError,
  CodexThreadStarted as ThreadStartedEvent,
  CodexTurnCompleted as TurnCompletedEvent,
  CodexTurnFailed as TurnFailedEvent,
  CodexTurnStarted as TurnStartedEvent,
  CodexUsage as Usage,
} from './events.ts';
export type {
  CodexAgentMessage as AgentMessageItem,
  CodexCommandExecution as CommandExecutionItem,
  CodexErrorItem as ErrorItem,
  CodexFileChange as FileChangeItem,
  CodexItem as ThreadItem,
  CodexMcpToolCall as McpToolCallItem,
  CodexReasoning as ReasoningItem,
  CodexTodoList as TodoListItem,
  CodexWebSearch as WebSearchItem,
  McpContent,
  McpExtras,
  McpIcon,
  McpResource,
} from './items.ts';
export {
  type CodexInput as Input,
  CodexThread as Thread,
  type CyberAccessProgram,
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
