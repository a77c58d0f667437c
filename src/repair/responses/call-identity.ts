import type { Fields } from '../../wire/fields/request-fields.ts';
import { fieldsOf, wordOf } from '../field-values.ts';
import { resolveName } from '../tool-names.ts';
import type { CallIdentity } from './open-item.ts';
import { madeCallId, type ResponsesRepairState } from './response-state.ts';

/** Reads the identity of a call from its announcement. */
export function announcedIdentity(item: Fields, response: ResponsesRepairState): CallIdentity {
  const givenId = wordOf(item.call_id);
  const callId = givenId === undefined ? undefined : claimed(givenId, item, response);
  return { givenId, callId, ...toolOf(item, callId, response) };
}

/** Returns the identity of a call that is complete. */
export function settledIdentity(
  item: Fields,
  known: CallIdentity | undefined,
  response: ResponsesRepairState,
): CallIdentity {
  const givenId = wordOf(item.call_id);
  const isKnown = known?.callId !== undefined && (givenId === undefined || givenId === known.givenId);
  const callId = isKnown ? known.callId : newId(givenId, item, response);
  const { name, misplaced } = toolOf(item, callId, response);
  if (name === undefined && known?.name !== undefined) {
    response.reporter.report('B2', { callId, before: item.name ?? '', after: known.name });
  }
  return { givenId, callId, name: name ?? known?.name, misplaced };
}

/** Returns the item with its identity. The same item if nothing changes. */
export function withIdentity(item: Fields, { callId = item.call_id, name = item.name, misplaced }: Identified): Fields {
  if (item.call_id === callId && item.name === name && !misplaced) return item;
  const { namespace, ...rest } = item;
  const place = misplaced || namespace === undefined ? undefined : { namespace };
  const changed = { ...rest, ...place, call_id: callId };
  return name === undefined ? changed : { ...changed, name };
}

type Identified = { readonly [F in 'callId' | 'name']?: unknown } & Pick<CallIdentity, 'misplaced'>;

function claimed(id: string, item: Fields, response: ResponsesRepairState): string {
  const fault = response.callIds.claim(id);
  if (fault === undefined) return id;
  const fresh = madeCallId(String(item.name), response);
  response.reporter.report(fault, { callId: fresh, before: id, after: fresh });
  return fresh;
}

function newId(givenId: string | undefined, item: Fields, response: ResponsesRepairState): string | undefined {
  if (givenId !== undefined) return claimed(givenId, item, response);
  const own = wordOf(item.id);
  // Local shell calls are answered under the id of their item.
  if (item.type === 'local_shell_call' && own !== undefined) return undefined;
  const usable = own !== undefined && response.callIds.claim(own) === undefined;
  const id = usable ? own : madeCallId(String(item.name), response);
  response.reporter.report('B3', { callId: id, before: item.call_id ?? '', after: id });
  return id;
}

function toolOf(
  item: Fields,
  callId: string | undefined,
  response: ResponsesRepairState,
): Pick<CallIdentity, 'name' | 'misplaced'> {
  const name = wordOf(item.name);
  if (name === undefined) return { name, misplaced: false };
  const { tools } = response.context;
  const meant = tools.has(name) ? name : resolveName(name, tools);
  const place = wordOf(item.namespace);
  const misplaced = meant !== undefined && (place === name || place === 'functions') && !isSearched(meant, response);
  if (meant === undefined || (place !== undefined && !misplaced)) return { name, misplaced };
  if (callId !== undefined && (meant !== name || misplaced)) {
    const before = place === undefined ? name : `${place}.${name}`;
    response.reporter.report('B15', { callId, before, after: meant });
  }
  return { name: meant, misplaced };
}

/** Reports whether a tool was found by the server's tool search. Such a tool has a namespace of its own name. */
function isSearched(name: string, { announced: { tools }, completed }: ResponsesRepairState): boolean {
  const isDeferred = (tool: unknown) => fieldsOf(tool).name === name && fieldsOf(tool).defer_loading === true;
  if (Array.isArray(tools) && tools.some(isDeferred)) return true;
  return completed.some(({ came }) => came.type === 'tool_search_output');
}
