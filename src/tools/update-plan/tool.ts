import type { PlanAction } from '../../base/action.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { Tool } from '../../base/tool.ts';
import description from './description.md';

const parameters = {
  type: 'object',
  properties: {
    explanation: { type: 'string', description: 'Why the plan changed.' },
    plan: {
      type: 'array',
      description: 'All the steps.',
      items: {
        type: 'object',
        properties: {
          step: { type: 'string', description: 'What is done in this step.' },
          status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
        },
        required: ['step', 'status'],
        additionalProperties: false,
      },
    },
  },
  required: ['plan'],
  additionalProperties: false,
} as const;

/** Shows the plan. */
export const updatePlan: Tool<PlanAction> = {
  name: 'update_plan',
  accepts: ['function'],
  spec: { type: 'function', name: 'update_plan', description: description.trim(), strict: false, parameters },
  parallel: false,

  async plan(call) {
    const { explanation, plan } = parseArguments(call, parameters);
    return { kind: 'plan', ...(explanation === undefined ? {} : { explanation }), steps: plan };
  },

  async run(action, hands) {
    hands.showPlan(action);
    return { output: 'Plan updated', success: true };
  },
};
