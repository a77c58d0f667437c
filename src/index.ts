export { type Agent, createAgent, type ForkOptions } from './app/agent.ts';
export type { AgentOptions } from './app/agent-options.ts';
export type { EnvironmentContext, EnvironmentFactory, ThreadOptions } from './app/agent-parts.ts';
export type { StandardSchema } from './app/options/read-schema.ts';
export { createServers, type Servers } from './app/servers.ts';
export type { AnswerSchema, OutputOf } from './app/thread/output-check.ts';
export type {
  CompactOptions,
  CompletedTurn,
  RunOptions,
  SteerOptions,
  StreamedTurn,
  Thread,
  TurnResult,
  UnfinishedTurn,
} from './app/thread/thread.ts';
export type { ThreadReference } from './app/threads/find-thread.ts';
export type { ReplayReport } from './app/threads/replay.ts';
export type { RestoreChange, RestoreReport, RestoreThreadOptions } from './app/threads/snapshots.ts';
export type {
  ThreadDetails,
  ThreadQuery,
  ThreadSummary,
  Threads,
  ThreadTurn,
  TranscriptItem,
} from './app/threads/threads.ts';
export type { RequestUsage, ThreadUsage, TurnUsage } from './app/threads/usage.ts';
export { defineTool, type OwnToolContext, type OwnToolOutput, type ToolDefinition } from './app/tools/define-tool.ts';
export type { Action, CommandAction } from './base/action.ts';
export type {
  Collected,
  Environment,
  Exit,
  FileChange,
  Files,
  OpenOptions,
  Terminal,
  TerminalSize,
} from './base/environment.ts';
export {
  LostThread,
  ModelError,
  type ModelErrorCode,
  type Remedy,
  ToolFailure,
  UserError,
  type UserErrorCode,
} from './base/errors.ts';
export type {
  Answer,
  Ask,
  Event,
  OfferedScope,
  RunLimit,
  ThreadItem,
  TurnError,
  Warning,
  WarningCode,
} from './base/event.ts';
export type { FetchLike, FetchLikeInit, FetchLikeResponse } from './base/fetch-like.ts';
export type { Input, InputPart, QueuedInput } from './base/input.ts';
export type { Item } from './base/item.ts';
export type { JsonSchema } from './base/json-schema.ts';
export type { Ledger } from './base/ledger.ts';
export type { Model, ModelEvent, ModelRequest, StreamedEvent, StreamOptions } from './base/model.ts';
export type { ApprovalScope, SandboxPolicy } from './base/policy.ts';
export type { ThreadStore } from './base/thread-store.ts';
export type { BuiltInTool, Tool } from './base/tool.ts';
export type { TurnOverrides } from './base/turn-overrides.ts';
export type { Usage } from './base/usage.ts';
