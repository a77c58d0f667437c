import type { Item } from '../../base/item.ts';
import { madeCallId } from './call-ids.ts';

/** What the ids of items begin with, by their type. */
const PREFIXES = {
  reasoning: 'rs',
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  local_shell_call: 'lsh',
};

export type OwnType = keyof typeof PREFIXES;

const OWN_ID = /^(?:rs|msg|fc|ctc|lsh)_(.+)_\d+$/s;

/**
 * A name for a response that no earlier one of the thread has. It is the id that the server gave; a server that uses
 * ids again has a number added to it. Items' ids are made of it, so that the history tells which names are taken.
 */
export function responseKey(responseId: string, history: readonly Item[]): string {
  const taken = new Set(history.map(({ id }) => (typeof id === 'string' ? OWN_ID.exec(id)?.[1] : undefined)));
  let key = responseId;
  for (let n = 2; taken.has(key); n++) key = `${responseId}-${n}`;
  return key;
}

/** The id of the n-th item of a response. */
export function itemId(type: OwnType, key: string, index: number): string {
  return `${PREFIXES[type]}_${key}_${index}`;
}

/** An id for a call that came without one: the same whenever the same response is read. */
export function callId(key: string, index: number, name: string): string {
  return madeCallId(JSON.stringify([key, index, name]));
}
