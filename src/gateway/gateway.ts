import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from '../base/provider.ts';
import type { ResponseStore } from '../base/response-store.ts';
import type { World } from '../base/world.ts';
import type { ExchangeTap } from '../model/exchange-tap.ts';
import type { HeaderCredentials } from '../model/headers.ts';
import type { HttpSender } from '../model/http.ts';
import type { ExchangeReport } from './exchange/exchange-report.ts';
import type { QuirkCase } from './exchange/quirk-case.ts';
import type { GatewayLimits } from './limits.ts';
import type { Incoming, Outgoing } from './server/client-io.ts';
import type { Targets } from './target.ts';

/** A gateway in front of model servers. Its owner does the listening. */
export interface Gateway {
  /** Handles a request of `node:http`. Never throws, and always ends the response. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Handles a request of a server that uses `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  /** Answers a request of any server. Never throws, and always ends the answer. */
  serve(incoming: Incoming, outgoing: Outgoing): void;
  /** Applies new settings to exchanges that begin from now on. */
  reload(settings: GatewaySettings): void;
  /** Accepts no more requests. Resolves when the last exchange is over, or after the timeout. */
  drain(timeoutMs: number): Promise<void>;
}

/** Settings that may change while a gateway runs. */
export interface GatewaySettings {
  readonly targets: Targets;
  readonly limits: GatewayLimits;
  /** Keys, of which clients must show one. Empty: no key is required. */
  readonly clientKeys: readonly string[];
}

export interface GatewayOptions extends GatewaySettings {
  readonly credentials: (provider: Provider, refused?: boolean) => HeaderCredentials | Promise<HeaderCredentials>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly world: World;
  readonly store: ResponseStore;
  readonly onReport: (report: ExchangeReport) => void;
  /** Called with responses that had to be repaired. They contain text of the model. */
  readonly onQuirk?: ((quirk: QuirkCase) => void) | undefined;
  /** Returns the text for GET /metrics. `active` is the number of exchanges under way. */
  readonly metrics: (active: number) => string;
  /** A sentence for the person who started the gateway, where a client asks for a model that it made up. */
  readonly modelAdvice?: string | undefined;
  /** Whether only servers on this machine may be reached. */
  readonly offline?: boolean;
  /** Sends the requests. Without it the gateway has a client of its own. */
  readonly http?: HttpSender;
  readonly tap?: ExchangeTap;
}
