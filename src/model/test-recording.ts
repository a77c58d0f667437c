import type { Model, StreamedEvent } from '../base/model.ts';
import type { ProviderSettings } from '../base/provider.ts';
import type { Cassette } from '../cassette/cassette.ts';
import { decodeCassette } from '../cassette/decode-cassette.ts';
import { wire as responses } from '../wire/responses/wire.ts';
import type { ModelOptions } from './create-model.ts';
import { createExchangeRecorder, type ExchangeRecorder } from './record-exchange.ts';
import { ask, testModel, testWorld } from './test-loopback.ts';

/** A recorder and its output. */
export interface TestRecording {
  readonly recorder: ExchangeRecorder;
  text(): string;
  cassette(): Cassette;
}

export function startRecording(secrets: readonly string[] = []): TestRecording {
  const lines: string[] = [];
  const recorder = createExchangeRecorder({ write: (line) => lines.push(line), secrets, world: testWorld() });
  const text = () => lines.join('');
  return { recorder, text, cassette: () => decodeCassette(text()) };
}

/** Returns a model on the responses wire that tries a failed request once more. */
export function responsesModel(
  url: string,
  options: Partial<ModelOptions> = {},
  settings: ProviderSettings = {},
): Model {
  return testModel(url, { requestMaxRetries: 1, ...settings }, { wire: responses, ...options });
}

/** Sends `count` requests. Returns the events of each and the error that ended it. */
export async function askTimes(model: Model, count: number): Promise<AskOutcome[]> {
  const outcomes: AskOutcome[] = [];
  for (let n = 0; n < count; n++) {
    const { events, error } = await ask(model);
    outcomes.push({ events, error: error && `${error.code} ${error.retryable}: ${error.message}` });
  }
  return outcomes;
}

export interface AskOutcome {
  readonly events: readonly StreamedEvent[];
  readonly error: string | undefined;
}

/** Returns the bytes of each chunk of each exchange, as Latin-1 text. */
export function piecesOf(cassette: Cassette): string[][] {
  return cassette.exchanges.map(({ chunks }) => chunks.map(({ bytes }) => Buffer.from(bytes).toString('latin1')));
}
