import type { Compat } from '../../base/wire.ts';
import { withField } from './edit-fields.ts';
import type { Fields } from './request-fields.ts';

/** Returns the body of a request, which asks for one call at a time if the server accepts no more. */
export function withParallelCalls(body: Fields, { parallelToolCalls }: Compat): Fields {
  const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
  return hasTools && !parallelToolCalls ? withField(body, 'parallel_tool_calls', false) : body;
}
