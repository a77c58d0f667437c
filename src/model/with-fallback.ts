import { ModelError } from '../base/errors.ts';
import type { Model, ModelRequest, StreamedEvent, StreamOptions } from '../base/model.ts';

/** The answers of a server that does not have a path. */
const NO_SUCH_PATH: ReadonlySet<number | undefined> = new Set([404, 405]);

/**
 * A model reached by one way or, where the server does not know that one, by another. The other way is kept to once it
 * has answered, and `onSwitch` is told. When neither answers, the failure of the first is the one that counts: the
 * server may know the path and not the model.
 */
export function withFallback(first: Model, openSecond: () => Promise<Model>, onSwitch: () => void): Model {
  let current = first;

  async function* stream(
    request: ModelRequest,
    options: StreamOptions,
  ): AsyncGenerator<StreamedEvent, void, undefined> {
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
    const second = await openSecond();
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
