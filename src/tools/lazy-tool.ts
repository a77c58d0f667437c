import type { Action } from '../base/action.ts';
import type { Tool } from '../base/tool.ts';

/** What must be known of a tool before it is first called. */
export type ToolFacts = Pick<Tool, 'name' | 'aliases' | 'accepts' | 'spec' | 'parallel' | 'aborted'>;

/** What is needed when it is called. */
export type ToolCode<A extends Action = Action> = Pick<Tool<A>, 'plan' | 'run'>;

/** A tool whose code is loaded with its first call: the first request need not wait for it. */
export function lazyTool(facts: ToolFacts, load: () => Promise<ToolCode>): Tool {
  return {
    ...facts,
    plan: async (call, view) => (await load()).plan(call, view),
    run: async (action, hands) => (await load()).run(action, hands),
  };
}
