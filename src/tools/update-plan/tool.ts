import type { PlanAction } from '../../base/action.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { ToolCode } from '../tool-entry.ts';
import { PLAN_PARAMETERS } from './facts.ts';

export const createTool = (): ToolCode => updatePlan;

/** Shows the plan. The model is advised to have one step in progress at a time, but that is not enforced. */
const updatePlan: ToolCode<PlanAction> = {
  async plan(call) {
    const { explanation, plan } = parseArguments(call, PLAN_PARAMETERS);
    return { kind: 'plan', ...(explanation === undefined ? {} : { explanation }), steps: plan };
  },

  async run(action, environment) {
    environment.showPlan(action);
    return { output: 'Plan updated', success: true };
  },
};
