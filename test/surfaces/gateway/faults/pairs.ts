import { PATHS, requestFor, TESTED_WIRES, type TestedWire } from '../../../../src/gateway/test-answer.ts';
import { type Answered, ask } from '../../../../src/gateway/test-gateway.ts';

export type WireName = TestedWire;

/** The wires of the client and the server, and whether the client wants a stream. */
export interface Pair {
  readonly client: WireName;
  readonly server: WireName;
  readonly stream: boolean;
}

/** All pairs. */
export const PAIRS: readonly Pair[] = TESTED_WIRES.flatMap((client) =>
  TESTED_WIRES.flatMap((server) => [true, false].map((stream) => ({ client, server, stream }))),
);

/** Reports whether the server is asked for a body in one piece: only where the client can have the very same body. */
export function isWholeBody({ client, server, stream }: Pair): boolean {
  return !stream && client === server;
}

/**
 * Returns a request of a client with the text `said`. The model has the name of the wire on which its server is asked.
 */
export function requestOf({ client, server, stream }: Pair, said = 'Hello', model: string = server): object {
  const content = client === 'responses' ? { input: said } : { messages: [{ role: 'user', content: said }] };
  return requestFor(client, { model, stream, ...content });
}

/** Returns the URL that a client of this wire asks. */
export function addressOf({ client }: Pick<Pair, 'client'>, url: string): string {
  return `${url}${PATHS[client]}`;
}

/** Asks a gateway and returns what the client gets. */
export function askThrough(gateway: { readonly url: string }, pair: Pair, said?: string): Promise<Answered> {
  return ask(addressOf(pair, gateway.url), requestOf(pair, said));
}

/** Returns a text that names the pair, for servers that have to know it. */
export function nameOf({ client, server, stream }: Pair): string {
  return `${client} from ${server} ${stream ? 'in a stream' : 'in one piece'}`;
}

/** Returns the pair that a request names. */
export function pairIn(body: string): Pair {
  const found = PAIRS.find((pair) => body.includes(JSON.stringify(nameOf(pair))));
  if (found === undefined) throw new Error(`The request tells no pair: ${body}`);
  return found;
}
