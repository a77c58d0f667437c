import type { JsonSchema } from '../../base/json-schema.ts';

const score = { type: 'number', description: 'From 0 to 1.' } as const;

const finding = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    body: { type: 'string' },
    confidence_score: score,
    priority: { type: 'integer', enum: [0, 1, 2, 3] },
    code_location: {
      type: 'object',
      properties: {
        absolute_file_path: { type: 'string' },
        line_range: {
          type: 'object',
          properties: { start: { type: 'integer' }, end: { type: 'integer' } },
          required: ['start', 'end'],
          additionalProperties: false,
        },
      },
      required: ['absolute_file_path', 'line_range'],
      additionalProperties: false,
    },
  },
  required: ['title', 'body', 'confidence_score', 'priority', 'code_location'],
  additionalProperties: false,
} as const;

/** Schema of the answer to a review, for servers that can enforce a schema. */
export const reviewSchema = {
  type: 'object',
  properties: {
    findings: { type: 'array', items: finding },
    overall_correctness: { type: 'string', enum: ['patch is correct', 'patch is incorrect'] },
    overall_explanation: { type: 'string' },
    overall_confidence_score: score,
  },
  required: ['findings', 'overall_correctness', 'overall_explanation', 'overall_confidence_score'],
  additionalProperties: false,
} as const satisfies JsonSchema;
