import { isRecord } from '../base/json-schema.ts';
import type { WireName } from '../base/wire.ts';
import type { Fields } from '../wire/fields/request-fields.ts';

/** Returns a sentence about the wire that a value belongs to; undefined for a value of `own` or of no known wire. */
export function foreignProtocol(value: Fields, own: WireName): string | undefined {
  const spoken = PROTOCOLS.find(({ isOne }) => isOne(value))?.wire;
  if (spoken === undefined || spoken === own) return undefined;
  return `The server answered with events of the ${spoken} wire, not of the ${own} wire. Set wire_api = "${spoken}" for this provider.`;
}

interface Protocol {
  readonly wire: WireName;
  isOne(value: Fields): boolean;
}

const PROTOCOLS: readonly Protocol[] = [
  { wire: 'chat', isOne: ({ choices }) => Array.isArray(choices) },
  { wire: 'responses', isOne: (value) => /^response(?:\.|$)/.test(wordIn(value)) },
  {
    wire: 'messages',
    isOne: (value) => /^(?:message(?:_start|_delta|_stop)?|content_block_(?:start|delta|stop))$/.test(wordIn(value)),
  },
  { wire: 'ollama', isOne: ({ message, done }) => isRecord(message) && typeof done === 'boolean' },
];

function wordIn({ type, object }: Fields): string {
  const word = typeof type === 'string' ? type : object;
  return typeof word === 'string' ? word : '';
}
