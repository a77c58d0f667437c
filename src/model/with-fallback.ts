import { ModelError } from '../base/errors.ts';
import type { Model, ModelRequest, StreamedEvent, StreamOptions } from '../base/model.ts';

/** The answers of a server that does not have a path. */
const NO_SUCH_PATH: ReadonlySet<number | undefined> = new Set([404, 405]);

export interface Fallback {
  open(): Promise<Model>;
  /** Whether the server is known to lack the first way. Asked before each request: others may have found out meanwhile. */
  isKnown(): boolean;
  /** The fallback has answered where the first way is lacking. */
  onSwitch(): void;
}

/**
 * A model reached by one way or, where the server does not know that one, by another. The other way is kept to once it
 * has answered. When neither answers, the failure of the first is the one that counts: the server may know the path and
 * not the model.
 */
export function withFallback(first: Model, { open, isKnown, onSwitch }: Fallback): Model {
  let current = first;

  async function* stream(
    request: ModelRequest,
    options: StreamOptions,
  ): AsyncGenerator<StreamedEvent, void, undefined> {
    if (current === first && isKnown()) current = await open();
    try {
      yield* current.stream(request, options);
      return;
    } catch (error) {
      if (current !== first || !(error instanceof ModelError) || !NO_SUCH_PATH.has(error.status)) throw error;
      yield* switchOver(request, options, error);
    }
  }

  async function* switchOver(
    request: ModelRequest,
    options: StreamOptions,
    refusal: ModelError,
  ): AsyncGenerator<StreamedEvent, void, undefined> {
    const second = await open();
    if (options.meter) options.meter.retries++;
    try {
      for await (const event of second.stream(request, options)) {
        if (current === first) onSwitch();
        current = second;
        yield event;
      }
    } catch (error) {
      throw error instanceof ModelError && NO_SUCH_PATH.has(error.status) ? refusal : error;
    }
  }

  return {
    stream,
    rest: () => current.rest?.(),
    maxStreamRetries: first.maxStreamRetries,
    retryDelayMs: first.retryDelayMs,
  };
}
