import type { FetchLike } from '../../base/fetch-like.ts';
import type { World } from '../../base/world.ts';
import { decodeCassette } from '../../cassette/decode-cassette.ts';
import { encodeCassette } from '../../cassette/encode-cassette.ts';
import type { CassetteMatch } from '../../cassette/request-difference.ts';
import type { ModelOptions } from '../../model/create-model.ts';
import { createFetchHttp } from '../../model/fetch-http.ts';
import type { HttpSender } from '../../model/http.ts';
import { offlineHttp } from '../../model/offline-http.ts';
import { createExchangeRecorder } from '../../model/record-exchange.ts';
import { replayHttp } from '../../model/replay-http.ts';
import { updatingHttp } from '../../model/update-http.ts';
import { createCassetteFile, readCassetteFile, replaceCassetteFile } from '../../store/files/cassette-file.ts';
import { secretValues } from '../log/redact.ts';
import { type CassetteReplay, readReplay } from '../options/cassette-replay.ts';

/**
 * Changes to the plain way of requests over the network: a recorder, a cassette that answers, or another HTTP client.
 */
export interface Transport extends Partial<Pick<ModelOptions, 'tap' | 'http'>> {
  /** Whether a cassette answers, which needs no key. */
  readonly isReplayed?: true;
  /** Writes the exchanges recorded so far to the file. */
  flush?(): void;
}

export interface TransportOptions {
  /** Path of a file to record every exchange in. */
  readonly record: string | undefined;
  /** A cassette that answers instead of the server. */
  readonly replay: string | CassetteReplay | undefined;
  /** Sends the requests, instead of our own client. */
  readonly fetch?: FetchLike | undefined;
  /** Whether only this machine may be reached. */
  readonly offline: boolean;
  /** Our own client. */
  readonly http: HttpSender;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further values that must not occur in a recording. */
  readonly secrets?: Iterable<string> | undefined;
  readonly world: World;
}

/** Opens the files of a transport. Throws `UserError` when a file cannot be written or read. */
export function createTransport({ record, replay, ...options }: TransportOptions): Transport {
  const own = options.fetch && createFetchHttp(options.fetch);
  const http = own === undefined ? {} : { http: options.offline ? offlineHttp(own) : own };
  const played: Transport = replay === undefined ? {} : replaying(replay, { ...options, ...http });
  const taped: Transport = record === undefined ? {} : recordIn(record, options);
  return {
    ...http,
    ...played,
    ...taped,
    flush() {
      played.flush?.();
      taped.flush?.();
    },
  };
}

type RecordingOptions = Pick<TransportOptions, 'http' | 'env' | 'secrets' | 'world'>;

function replaying(replay: string | CassetteReplay, options: RecordingOptions): Transport {
  const { path, match, update } = readReplay(replay);
  if (update) return updating(path, match, options);
  return { http: replayHttp(decodeCassette(readCassetteFile(path)), { match }), isReplayed: true };
}

function updating(path: string, match: CassetteMatch, { http, world, ...options }: RecordingOptions): Transport {
  const text = readCassetteFile(path, { mayBeMissing: true });
  const cassette = text === undefined ? { recordedAt: '', oxbow: '', exchanges: [] } : decodeCassette(text);
  const updated = updatingHttp(cassette, { match, http, secrets: secretsOf(options), world });
  return {
    http: updated,
    flush() {
      const newer = updated.updated();
      if (newer !== undefined) replaceCassetteFile(path, encodeCassette(newer));
    },
  };
}

/** Records every exchange in a file. Throws `UserError` when the file cannot be written. */
export function recordIn(
  path: string,
  options: Pick<TransportOptions, 'env' | 'secrets' | 'world'>,
): Pick<Transport, 'tap' | 'flush'> {
  const { write } = createCassetteFile(path);
  const recorder = createExchangeRecorder({ write, secrets: secretsOf(options), world: options.world });
  return { tap: recorder, flush: recorder.close };
}

/** Returns the values that must not occur in a recording. They are read again for each exchange. */
function secretsOf({ env, secrets = [] }: Pick<TransportOptions, 'env' | 'secrets'>): Iterable<string> {
  const known = secretValues(env);
  return { [Symbol.iterator]: () => [...known, ...secrets].values() };
}
