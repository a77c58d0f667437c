import { ModelError } from '../../base/errors.ts';
import type { PermitEnd } from '../../base/limiter.ts';
import type { Model, ModelRequest, StreamedEvent, StreamOptions } from '../../base/model.ts';
import { type Limiting, takePermit } from '../../model/take-permit.ts';

const BYTES_PER_TOKEN = 4;

/** Returns a model of the embedding program that needs a permit for each request. */
export function limitedModel(model: Model, limiting: Limiting): Model {
  async function* stream(request: ModelRequest, options: StreamOptions): AsyncGenerator<StreamedEvent> {
    const { signal, meter } = options;
    const estimate = Math.ceil(JSON.stringify([request.instructions, request.input]).length / BYTES_PER_TOKEN);
    const release = await takePermit({ signal, estimate, meter }, limiting);
    let end: PermitEnd = { status: null };
    try {
      for await (const event of model.stream(request, options)) {
        if ('usage' in event) end = { status: 200, ...(event.usage && { usage: event.usage }) };
        yield event;
      }
    } catch (error) {
      end = endOf(error);
      throw error;
    } finally {
      release(end);
    }
  }
  return {
    stream,
    maxStreamRetries: model.maxStreamRetries,
    ...(model.maxRetries !== undefined && { maxRetries: model.maxRetries }),
    retryDelayMs: (attempt, error) => model.retryDelayMs(attempt, error),
    rest: () => model.rest?.(),
  };
}

function endOf(error: unknown): PermitEnd {
  if (!(error instanceof ModelError)) return { status: null };
  const { status = null, retryAfterMs } = error;
  return { status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
