import type { ClientWire } from '../base/wire.ts';
import { responsesClient } from './responses/client.ts';

const WIRES = {
  // The one that is tried first is at hand.
  responses: async () => responsesClient,
  chat: async () => (await import('./chat/client.ts')).chatClient,
} satisfies Record<string, () => Promise<ClientWire>>;

/** The half of a protocol that an agent needs, loaded when it is first used. */
export function loadWire(name: keyof typeof WIRES): Promise<ClientWire> {
  return WIRES[name]();
}
