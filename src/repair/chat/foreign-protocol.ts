import type { Fields } from '../../wire/fields/request-fields.ts';

/** Returns a sentence about the protocol that a value without choices belongs to; undefined for an unknown one. */
export function foreignProtocol({ type, object }: Fields): string | undefined {
  const word = typeof type === 'string' ? type : object;
  if (typeof word !== 'string') return undefined;
  return PROTOCOLS.find(({ words }) => words.test(word))?.sentence;
}

const PROTOCOLS = [
  {
    words: /^response(?:\.|$)/,
    sentence:
      'The server answered with events of the responses wire, not of the chat wire. Set wire_api = "responses" for this provider.',
  },
  {
    words: /^(?:message(?:_start|_delta|_stop)?|content_block_(?:start|delta|stop))$/,
    sentence:
      'The server answered with events of the Messages API, which is not supported. Set base_url to the address of its Chat Completions API.',
  },
];
