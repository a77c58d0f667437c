export type {
  AgentOptions,
  CompactOptions,
  ForkOptions,
  RequestUsage,
  RestoreChange,
  RestoreReport,
  RestoreThreadOptions,
  RunOptions,
  SteerOptions,
  StreamedTurn,
  Thread,
  ThreadDetails,
  ThreadOptions,
  ThreadQuery,
  ThreadSummary,
  Threads,
  ThreadTurn,
  ThreadUsage,
  TurnResult,
  TurnUsage,
} from './app/agent.ts';
export { defineTool, type OwnToolContext, type OwnToolOutput, type ToolDefinition } from './app/define-tool.ts';
export { type Agent, createAgent } from './app/library-agent.ts';
export type { ReplayReport } from './app/replay.ts';
export { createServers, type Servers } from './app/servers.ts';
export type { Action } from './base/action.ts';
export { UserError } from './base/errors.ts';
export type { Answer, Ask, Event, OfferedScope, ThreadItem, TurnError } from './base/event.ts';
export type { Input, InputPart, QueuedInput } from './base/input.ts';
export type { Ledger } from './base/ledger.ts';
export type { ApprovalScope } from './base/policy.ts';
export type { Tool } from './base/tool.ts';
export type { TurnOverrides } from './base/turn-overrides.ts';
export type { Usage } from './base/usage.ts';
