import { type Item, isCall, isCallOutput } from '../../src/base/item.ts';

/** What a strict server would refuse in the input of a request: each call wants exactly one output after it, ids are unique. */
export function checkInput(input: readonly Item[]): readonly string[] {
  const faults: string[] = [];
  const open = new Map<string, boolean>();
  const ids = new Set<string>();
  for (const item of input) {
    const id = 'id' in item && typeof item.id === 'string' ? item.id : undefined;
    if (id !== undefined && ids.has(id)) faults.push(`the id ${id} is there twice`);
    if (id !== undefined) ids.add(id);
    if (isCall(item)) {
      if (open.get(item.call_id) === true) faults.push(`the call ${item.call_id} is made again before its output`);
      open.set(item.call_id, true);
    } else if (isCallOutput(item)) {
      if (open.get(item.call_id) !== true) faults.push(`the output of ${item.call_id} answers nothing`);
      open.set(item.call_id, false);
    }
  }
  for (const [callId, isOpen] of open) if (isOpen) faults.push(`the call ${callId} has no output`);
  return faults;
}
