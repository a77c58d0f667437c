import type { ToolFacts } from '../tool-entry.ts';
import description from './description.md';

export const PLAN_PARAMETERS = {
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

export const updatePlanFacts = {
  name: 'update_plan',
  accepts: ['function'],
  spec: {
    type: 'function',
    name: 'update_plan',
    description: description.trim(),
    strict: false,
    parameters: PLAN_PARAMETERS,
  },
  parallel: false,
  offer: ({ updatePlan }) => updatePlan,
} as const satisfies ToolFacts;
