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
import type { Targets } from './target.ts';

/** A gateway in front of model servers. Listening is its owner's business. */
export interface Gateway {
  /** For `node:http`. Never throws and always ends the response. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** The same for servers that speak `Request` and `Response`. */
  fetch(request: Request): Promise<Response>;
  /** New settings for exchanges that begin from now on. */
  reload(settings: GatewaySettings): void;
  /** Takes no more requests; resolves when the last exchange is over, or when the time is. */
  drain(timeoutMs: number): Promise<void>;
}

/** What may change while it runs. */
export interface GatewaySettings {
  readonly targets: Targets;
  readonly limits: GatewayLimits;
  /** Keys that clients must show one of; empty: none is asked for. */
  readonly clientKeys: readonly string[];
}

export interface GatewayOptions extends GatewaySettings {
  readonly credentials: (provider: Provider) => Promise<HeaderCredentials>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly world: World;
  readonly store: ResponseStore;
  readonly onReport: (report: ExchangeReport) => void;
  /** Told of responses that had to be repaired. They hold what the model said. */
  readonly onQuirk?: ((quirk: QuirkCase) => void) | undefined;
  /** Text for GET /metrics, while so many exchanges are going on. */
  readonly metrics: (active: number) => string;
  /** Carries the requests; without it the gateway has a client of its own. */
  readonly http?: HttpSender;
  readonly tap?: ExchangeTap;
}
