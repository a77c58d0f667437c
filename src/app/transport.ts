import type { World } from '../base/world.ts';
import type { ModelOptions } from '../model/create-model.ts';
import { createRecorder } from '../model/record-exchange.ts';
import { replayHttp } from '../model/replay-http.ts';
import { createCassetteFile, readCassetteFile } from '../store/cassette-file.ts';
import { decodeCassette } from '../wire/cassette/decode-cassette.ts';
import { secretValues } from './redact.ts';

/** The way of requests where it is not just the network: seen by a recorder, or answered from a cassette. */
export interface Transport extends Partial<Pick<ModelOptions, 'tap' | 'http'>> {
  /** Puts what was recorded so far into its file. */
  flush?(): void;
}

export interface TransportOptions {
  /** A file to record every exchange in. */
  readonly record: string | undefined;
  /** A cassette that answers instead of the server. */
  readonly replay: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly world: World;
}

/** Throws `UserError` when a file cannot be written or read. */
export function createTransport({ record, replay, env, world }: TransportOptions): Transport {
  return {
    ...(replay === undefined ? {} : { http: replayHttp(decodeCassette(readCassetteFile(replay)), { match: 'body' }) }),
    ...(record === undefined ? {} : recording(record, env, world)),
  };
}

function recording(path: string, env: TransportOptions['env'], world: World): Transport {
  const { write } = createCassetteFile(path);
  const recorder = createRecorder({ write, secrets: secretValues(env), world });
  return { tap: recorder, flush: recorder.close };
}
