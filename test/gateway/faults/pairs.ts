import { PATHS, requestFor } from '../../../src/gateway/test-answer.ts';
import { type Answered, ask } from '../../../src/gateway/test-gateway.ts';

const WIRES = ['responses', 'chat'] as const;

export type WireName = (typeof WIRES)[number];

/** Which wire the client and the server speak, and whether the client wants a stream. */
export interface Pair {
  readonly client: WireName;
  readonly server: WireName;
  readonly stream: boolean;
}

/** All that there are. */
export const PAIRS: readonly Pair[] = WIRES.flatMap((client) =>
  WIRES.flatMap((server) => [true, false].map((stream) => ({ client, server, stream }))),
);

/** A server is asked for a body in one piece only where the client can have the very body. */
export function isWholeBody({ client, server, stream }: Pair): boolean {
  return !stream && client === server;
}

/** A request of a client that says so much. The model has the name of the wire on which its server is asked. */
export function requestOf({ client, server, stream }: Pair, said = 'Hello', model: string = server): object {
  const content = client === 'chat' ? { messages: [{ role: 'user', content: said }] } : { input: said };
  return requestFor(client, { model, stream, ...content });
}

/** Where a client of this wire asks. */
export function addressOf({ client }: Pick<Pair, 'client'>, url: string): string {
  return `${url}${PATHS[client]}`;
}

/** What a client gets that asks a gateway, and says so much. */
export function askThrough(gateway: { readonly url: string }, pair: Pair, said?: string): Promise<Answered> {
  return ask(addressOf(pair, gateway.url), requestOf(pair, said));
}

/** What a client says whose server has to know which pair it is. */
export function nameOf({ client, server, stream }: Pair): string {
  return `${client} from ${server} ${stream ? 'in a stream' : 'in one piece'}`;
}

/** The pair of a request that was told. */
export function pairIn(body: string): Pair {
  const found = PAIRS.find((pair) => body.includes(JSON.stringify(nameOf(pair))));
  if (found === undefined) throw new Error(`The request tells no pair: ${body}`);
  return found;
}
