export {
  type Agent,
  type AgentOptions,
  createAgent,
  type RunOptions,
  type StreamedTurn,
  type Thread,
  type ThreadOptions,
  type TurnResult,
} from './app/agent.ts';
export { defineTool, type OwnToolContext, type OwnToolOutput, type ToolDefinition } from './app/define-tool.ts';
export type { Action } from './base/action.ts';
export { UserError } from './base/errors.ts';
export type { Answer, Ask, Event, OfferedScope, ThreadItem, TurnError } from './base/event.ts';
export type { Input, InputPart } from './base/input.ts';
export type { ApprovalScope } from './base/policy.ts';
export type { Tool } from './base/tool.ts';
export type { Usage } from './base/usage.ts';
