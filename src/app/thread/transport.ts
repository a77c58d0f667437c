import type { FetchLike } from '../../base/fetch-like.ts';
import type { World } from '../../base/world.ts';
import { decodeCassette } from '../../cassette/decode-cassette.ts';
import type { ModelOptions } from '../../model/create-model.ts';
import { createFetchHttp } from '../../model/fetch-http.ts';
import { createExchangeRecorder } from '../../model/record-exchange.ts';
import { replayHttp } from '../../model/replay-http.ts';
import { createCassetteFile, readCassetteFile } from '../../store/files/cassette-file.ts';
import { secretValues } from '../log/redact.ts';

/** The way of requests where it is not just the network: seen by a recorder, or answered from a cassette. */
export interface Transport extends Partial<Pick<ModelOptions, 'tap' | 'http'>> {
  /** Whether a cassette answers, which asks for no key. */
  readonly isReplayed?: true;
  /** Puts what was recorded so far into its file. */
  flush?(): void;
}

export interface TransportOptions {
  /** A file to record every exchange in. */
  readonly record: string | undefined;
  /** A cassette that answers instead of the server. */
  readonly replay: string | undefined;
  /** Carries the requests instead of our own client. */
  readonly fetch?: FetchLike | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly world: World;
}

/** Throws `UserError` when a file cannot be written or read. */
export function createTransport({ record, replay, env, world, ...options }: TransportOptions): Transport {
  return {
    ...(options.fetch === undefined ? {} : { http: createFetchHttp(options.fetch) }),
    ...(replay === undefined ? {} : replaying(replay)),
    ...(record === undefined ? {} : recording(record, env, world)),
  };
}

function replaying(path: string): Transport {
  return { http: replayHttp(decodeCassette(readCassetteFile(path)), { match: 'body' }), isReplayed: true };
}

function recording(path: string, env: TransportOptions['env'], world: World): Transport {
  const { write } = createCassetteFile(path);
  const recorder = createExchangeRecorder({ write, secrets: secretValues(env), world });
  return { tap: recorder, flush: recorder.close };
}
