import type { Repair } from '../../base/repair.ts';

/** Returns the message about a frame that began calls. People look for it when calls do not run. */
export function callsMessage(frame: number, calls: number): string {
  return `Received chunk #${frame} with tool_calls: ${calls} calls`;
}

/** Messages of repairs that are not their titles. */
const MESSAGES: Readonly<Record<string, string>> = {
  A1: "Setting finish_reason to 'tool_calls' (detected tool_calls in stream)",
};

export function repairMessage({ id, title }: Pick<Repair, 'id' | 'title'>): string {
  return MESSAGES[id] ?? title;
}
