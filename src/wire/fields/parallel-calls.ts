import type { Compat } from '../../base/wire.ts';
import { withField } from './edit-fields.ts';
import type { Fields } from './request-fields.ts';

/** Returns the body of a request that asks for one call at a time where the server takes no more. */
export function withParallelCalls(body: Fields, { parallelToolCalls }: Compat): Fields {
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  return hasTools && !parallelToolCalls ? withField(body, 'parallel_tool_calls', false) : body;
}
