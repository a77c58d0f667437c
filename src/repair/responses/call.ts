import type { Fields } from '../../wire/fields/request-fields.ts';
import type { ArgumentRepair } from '../arguments/create-argument-repair.ts';
import { createArgumentRepair } from '../arguments/create-argument-repair.ts';
import { fieldsOf } from '../field-values.ts';
import { MAX_ARGUMENT_CHARS } from '../limits.ts';
import { CallArguments } from './call-arguments.ts';
import { announcedIdentity } from './call-identity.ts';
import { baseOf, type CallIdentity, type CallKind, type OpenCallItem } from './open-item.ts';
import { countCall, giveUp, type ResponsesRepairState } from './response-state.ts';

export interface KnownCall extends Pick<OpenCallItem, 'kind' | 'identity'> {
  /** Event that holds the item. */
  readonly event: Fields;
}

/** Returns the field that holds the input of a call. */
export function inputField(kind: CallKind): 'arguments' | 'input' {
  return kind === 'function_call' ? 'arguments' : 'input';
}

/** Opens a call that an event announces. Undefined if the response has too many calls. */
export function openCall(kind: CallKind, event: Fields, response: ResponsesRepairState): OpenCallItem | undefined {
  if (!countCall(response)) return undefined;
  return createCall({ kind, event, identity: announcedIdentity(fieldsOf(event.item), response) }, response);
}

/** Creates a call whose identity is known. */
export function createCall({ kind, event, identity }: KnownCall, response: ResponsesRepairState): OpenCallItem {
  const item = fieldsOf(event.item);
  const takesText = kind === 'function_call' && isTextTool(item, identity, response);
  const input = new CallArguments({
    output: takesText ? undefined : response.output,
    createRepair: () => (kind === 'function_call' ? repair(identity, response) : AS_IT_IS),
  });
  const { announced, id, index } = baseOf(item, event);
  return { announced, id, index, type: 'call', kind, takesText, identity, ended: undefined, input };
}

/** Reports whether the input of a call is within its limit. Otherwise the response is given up. */
export function isBounded({ input }: OpenCallItem, response: ResponsesRepairState): boolean {
  if (input.length <= MAX_ARGUMENT_CHARS) return true;
  giveUp(`The arguments of a call are longer than ${MAX_ARGUMENT_CHARS} characters.`, response);
  return false;
}

function isTextTool(item: Fields, { name = '', misplaced }: CallIdentity, { context }: ResponsesRepairState): boolean {
  const tool = context.tools.get(name);
  const placed = typeof item.namespace === 'string' && !misplaced;
  return tool !== undefined && tool.schema === undefined && !placed;
}

function repair({ name = '', callId }: CallIdentity, { context, reporter }: ResponsesRepairState): ArgumentRepair {
  return createArgumentRepair({
    schema: context.tools.get(name)?.schema,
    htmlEntities: context.compat.htmlEntities,
    onRepair: (id, before, after) => reporter.report(id, { callId, before, after }),
  });
}

/** Passes any text unchanged. */
const AS_IT_IS: ArgumentRepair = {
  push: (text) => [{ object: 0, text }],
  end: () => ({ pieces: [], state: 'whole' }),
  state: 'open',
};
