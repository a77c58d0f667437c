import { ModelError } from '../base/errors.ts';
import { redactUrl } from '../base/redact-url.ts';
import type { ListedModel } from '../base/wire.ts';
import { statusError } from './errors.ts';
import { redactor } from './headers.ts';
import { listUrl, type ServedModelsOptions, sendForModels } from './served-models.ts';
import { describeUnreachable } from './unreachable.ts';

/** Returns the models that a server lists. Throws `ModelError` with a sentence that says why it lists none. */
export async function fetchModels(options: ServedModelsOptions): Promise<readonly ListedModel[]> {
  const { provider, wires, timeoutMs } = options;
  let redact = (text: string) => text;
  const headers: ServedModelsOptions['headers'] = async (wire) => {
    const made = await options.headers(wire);
    redact = redactor(made, provider);
    return made;
  };
  const answer = await sendForModels({ ...options, headers }).catch((error: unknown) => {
    throw failedError(error, redactUrl(String(listUrl(provider, wires[0]))), timeoutMs, redact);
  });
  const url = redactUrl(String(answer.url));
  if (answer.status < 200 || answer.status > 299)
    throw statusError({ ...answer, body: answer.text, url, now: Date.now(), redact });
  if (answer.models === undefined)
    throw new ModelError('invalid_response', `${url} answered with something that is not a list of models.`);
  return answer.models;
}

function failedError(error: unknown, url: string, timeoutMs: number, redact: (text: string) => string): ModelError {
  const isLate = error instanceof ModelError && (error.code === 'aborted' || error.code === 'idle_timeout');
  if (isLate)
    return new ModelError('idle_timeout', `${url} did not list its models within ${timeoutMs / 1000} seconds.`);
  if (error instanceof ModelError) return error;
  return new ModelError('unreachable', redact(describeUnreachable(url, error).message), { cause: error });
}
