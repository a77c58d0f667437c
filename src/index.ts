export { type Agent, createAgent, type ForkOptions } from './app/agent.ts';
export type { AgentMcpPrompt, AgentMcpServers } from './app/agent-mcp.ts';
export type { AgentOptions } from './app/agent-options.ts';
export type { EnvironmentContext, EnvironmentFactory, ResumeThreadOptions, ThreadOptions } from './app/agent-parts.ts';
export { createLimiter, type LimiterOptions } from './app/create-limiter.ts';
export type { CassetteReplay } from './app/options/cassette-replay.ts';
export type { McpServerOptions, McpServerTable } from './app/options/mcp-servers.ts';
export type { SchemaOutput, StandardIssue, StandardResult, StandardSchema } from './app/options/read-schema.ts';
export type { OwnTexts } from './app/own-texts.ts';
export type * from './app/public-types.ts';
export { createServers, type Servers } from './app/servers.ts';
export type { InteractiveThread, UserCommandOptions, UserCommandResult } from './app/thread/interactive-thread.ts';
export type { AnswerSchema, OutputOf } from './app/thread/output-check.ts';
export type {
  RewindChange,
  RewindOptions,
  RewindPoint,
  RewindPreview,
  RewindReport,
  RewindTarget,
} from './app/thread/rewind.ts';
export type {
  CompactOptions,
  CompletedTurn,
  ItemsOptions,
  LaterAnswer,
  RunOptions,
  ShownTurn,
  SteerOptions,
  StreamedTurn,
  SuspendedTurn,
  Thread,
  ThreadPast,
  TurnResult,
  UnfinishedTurn,
} from './app/thread/thread.ts';
export type { ThreadReference } from './app/threads/find-thread.ts';
export type { ReplayReport } from './app/threads/replay.ts';
export type { RestoreChange, RestoreReport, RestoreThreadOptions } from './app/threads/snapshots.ts';
export type {
  HistoryOptions,
  HistoryPage,
  HistoryTurn,
  ThreadDetails,
  ThreadPreview,
  ThreadQuery,
  ThreadSummary,
  Threads,
  ThreadTurn,
  TranscriptItem,
} from './app/threads/threads.ts';
export type { RequestUsage, ThreadUsage, TurnUsage } from './app/threads/usage.ts';
export { defineTool, type OwnToolContext, type OwnToolOutput, type ToolDefinition } from './app/tools/define-tool.ts';
export type { Arguments } from './app/tools/tool-parameters.ts';
export { LostThread, ModelError, ToolFailure, UserError } from './base/errors.ts';
export type * from './base/public-types.ts';
