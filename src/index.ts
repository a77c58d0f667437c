export {
  type Agent,
  type AgentOptions,
  createAgent,
  type RunOptions,
  type Thread,
  type ThreadOptions,
  type TurnResult,
} from './app/agent.ts';
export { UserError } from './base/errors.ts';
export type { Answer, Ask, Event, ThreadItem, TurnError } from './base/event.ts';
export type { Usage } from './base/usage.ts';
