import type { Provider } from '../base/provider.ts';
import type { WireName } from '../base/wire.ts';
import type { World } from '../base/world.ts';
import type { ClientIdentity, HeaderCredentials } from '../model/headers.ts';
import type { HttpSender } from '../model/http.ts';

/** The outside world of a probe. */
export interface ProbeParts {
  readonly http: HttpSender;
  readonly credentials: (refused: boolean) => Promise<HeaderCredentials>;
  readonly identity: ClientIdentity;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly world: World;
  /** Milliseconds that one request may take in all. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A server to probe. */
export interface ProbeOptions extends ProbeParts {
  readonly provider: Provider;
  /** The model to ask for. Without it, the provider's default or the first that the server lists. */
  readonly model: string | undefined;
  /** Ids of the checks to run. Without it, all of them. */
  readonly only?: readonly string[];
  readonly onProgress?: (progress: ProbeProgress) => void;
}

/** A check that is about to run. */
export interface ProbeProgress {
  readonly check: string;
  readonly number: number;
  readonly of: number;
}

/** The result of trying a wire. */
export interface TriedWire {
  readonly wire: WireName;
  readonly works: boolean;
  /** Failure of a wire that does not work. */
  readonly why: string | null;
}
