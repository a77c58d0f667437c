import { ModelError } from '../base/errors.ts';
import type { Model, ModelRequest, StreamedEvent, StreamOptions } from '../base/model.ts';

/** The answers of a server that does not have a path. */
const NO_SUCH_PATH: ReadonlySet<number | undefined> = new Set([404, 405]);

export interface Fallback {
  /** Returns the ways to the model, the first to be tried first. Asked before each request: they may be known better by then. */
  ways(): readonly [string, ...string[]];
  open(way: string): Promise<Model>;
  /** A way has answered after the server turned out to lack others. */
  onSwitch(way: string, lacking: readonly string[]): void;
}

/**
 * Returns a model that is reached by the first way whose path its server has. When the server has none of them, the failure
 * of the first way is thrown: it may know the path and not the model.
 */
export async function withFallback({ ways, open, onSwitch }: Fallback): Promise<Model> {
  const models = new Map<string, Promise<Model>>();
  const modelOf = (way: string): Promise<Model> => {
    const model = models.get(way) ?? open(way);
    models.set(way, model);
    return model;
  };
  const first = await modelOf(ways()[0]);
  let current = first;

  async function* stream(
    request: ModelRequest,
    options: StreamOptions,
  ): AsyncGenerator<StreamedEvent, void, undefined> {
    const lacking: string[] = [];
    let refusal: ModelError | undefined;
    for (const way of ways()) {
      if (refusal !== undefined && options.meter) options.meter.retries++;
      current = await modelOf(way);
      let answered = false;
      try {
        for await (const event of current.stream(request, options)) {
          if (!answered && lacking.length > 0) onSwitch(way, lacking);
          answered = true;
          yield event;
        }
        return;
      } catch (error) {
        if (answered || !isNoSuchPath(error)) throw error;
        refusal ??= error;
        lacking.push(way);
      }
    }
    throw refusal;
  }

  return {
    stream,
    rest: () => current.rest?.(),
    maxStreamRetries: first.maxStreamRetries,
    retryDelayMs: first.retryDelayMs,
  };
}

function isNoSuchPath(error: unknown): error is ModelError {
  return error instanceof ModelError && NO_SUCH_PATH.has(error.status);
}
