import type { JsonSchema } from '../../base/json-schema.ts';
import type { FunctionSpec } from '../../base/tool.ts';
import { type Check, failure, note, ok } from '../check.ts';
import { askTrying } from '../probe-run.ts';
import { message } from '../question.ts';

/** Sends a schema with keywords that some servers refuse, as schemas of MCP servers have them. */
export const schema: Check = {
  id: 'schema keywords',
  asks: 1,
  async run(run) {
    const before = run.compat;
    const { schemas } = before;
    const question = { input: [message('user', 'Say the word pong.')], tools: SCHEMA_TOOLS };
    const answer = await askTrying(run, question, [
      {
        compat: { schemas: [...schemas, 'no_patterns'] },
        reason: 'The server refuses patterns in schemas: patterns and formats are left out.',
      },
      {
        compat: { schemas: [...schemas, 'typed_branches'] },
        reason: 'The server refuses schemas with a type next to branches: the type is sent inside the branches.',
      },
      {
        compat: { schemas: [...schemas, 'plain'] },
        reason: 'The server refuses some keywords of schemas: basic keywords are sent.',
      },
    ]);
    const failed = failure(answer);
    if (failed !== undefined) return failed;
    if (run.compat === before) return ok('anyOf, pattern, format, const, $ref, bounds');
    return note(`not all: ${run.compat.schemas.filter((limit) => !schemas.includes(limit)).join(', ')}`);
  },
};

const PARAMETERS = {
  type: 'object',
  properties: {
    choice: { type: 'string', anyOf: [{ enum: ['a', 'b'] }, { pattern: '^c\\d+$' }] },
    day: { type: 'string', format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    amount: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.5 },
    kind: { const: 'probe' },
    place: { $ref: '#/$defs/place' },
  },
  $defs: { place: { type: 'object', properties: { x: { type: 'integer' } }, additionalProperties: false } },
  propertyNames: { maxLength: 20 },
  additionalProperties: false,
};

const SCHEMA_TOOLS: readonly FunctionSpec[] = [
  {
    type: 'function',
    name: 'store_entry',
    description: 'Stores an entry.',
    strict: false,
    // A server may refuse these keywords, so the type of our own schemas lacks them.
    parameters: PARAMETERS as unknown as JsonSchema,
  },
];
