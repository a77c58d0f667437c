import type { Item } from '../../base/item.ts';
import { madeCallId } from './call-ids.ts';

/** Prefixes of item ids, by type. */
const PREFIXES = {
  reasoning: 'rs',
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  local_shell_call: 'lsh',
  web_search_call: 'ws',
};

export type OwnType = keyof typeof PREFIXES;

const OWN_ID = /^(?:rs|msg|fc|ctc|lsh|ws)_(.+)_\d+$/s;

/**
 * Returns a key for a response that no earlier response of the thread has: the id from the server, with a number added
 * if the server reuses ids. Item ids contain the key, so the history shows which keys are taken.
 */
export function responseKey(responseId: string, history: readonly Item[]): string {
  const taken = new Set(history.map(({ id }) => (typeof id === 'string' ? OWN_ID.exec(id)?.[1] : undefined)));
  let key = responseId;
  for (let n = 2; taken.has(key); n++) key = `${responseId}-${n}`;
  return key;
}

/** Returns the id of the n-th item of a response. */
export function itemId(type: OwnType, key: string, index: number): string {
  return `${PREFIXES[type]}_${key}_${index}`;
}

/** Returns an id for a call that came without one. The same response always gets the same id. */
export function callId(key: string, index: number, name: string): string {
  return madeCallId(JSON.stringify([key, index, name]));
}
