import type { PlanAction } from '../../base/action.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { ToolCode } from '../lazy-tool.ts';
import { PLAN_PARAMETERS } from './facts.ts';

/** Shows the plan. That one step at a time is in progress is advice to the model, no condition. */
export const updatePlan: ToolCode<PlanAction> = {
  async plan(call) {
    const { explanation, plan } = parseArguments(call, PLAN_PARAMETERS);
    return { kind: 'plan', ...(explanation === undefined ? {} : { explanation }), steps: plan };
  },

  async run(action, hands) {
    hands.showPlan(action);
    return { output: 'Plan updated', success: true };
  },
};
