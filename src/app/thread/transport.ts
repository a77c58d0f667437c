import type { FetchLike } from '../../base/fetch-like.ts';
import type { World } from '../../base/world.ts';
import { decodeCassette } from '../../cassette/decode-cassette.ts';
import type { ModelOptions } from '../../model/create-model.ts';
import { createFetchHttp } from '../../model/fetch-http.ts';
import { createExchangeRecorder } from '../../model/record-exchange.ts';
import { replayHttp } from '../../model/replay-http.ts';
import { createCassetteFile, readCassetteFile } from '../../store/files/cassette-file.ts';
import { secretValues } from '../log/redact.ts';

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
  /** Path of a cassette that answers instead of the server. */
  readonly replay: string | undefined;
  /** Sends the requests, instead of our own client. */
  readonly fetch?: FetchLike | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Further values that must not occur in a recording. */
  readonly secrets?: Iterable<string> | undefined;
  readonly world: World;
}

/** Opens the files of a transport. Throws `UserError` when a file cannot be written or read. */
export function createTransport({ record, replay, env, world, ...options }: TransportOptions): Transport {
  return {
    ...(options.fetch === undefined ? {} : { http: createFetchHttp(options.fetch) }),
    ...(replay === undefined ? {} : replaying(replay)),
    ...(record === undefined ? {} : recording(record, secretValues(env), options.secrets ?? [], world)),
  };
}

function replaying(path: string): Transport {
  return { http: replayHttp(decodeCassette(readCassetteFile(path)), { match: 'body' }), isReplayed: true };
}

function recording(path: string, known: readonly string[], more: Iterable<string>, world: World): Transport {
  const { write } = createCassetteFile(path);
  const secrets = { [Symbol.iterator]: () => [...known, ...more].values() };
  const recorder = createExchangeRecorder({ write, secrets, world });
  return { tap: recorder, flush: recorder.close };
}
