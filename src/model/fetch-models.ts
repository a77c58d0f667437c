import { ModelError } from '../base/errors.ts';
import { redactUrl } from '../base/redact-url.ts';
import type { ListedModel } from '../base/wire.ts';
import { statusError } from './errors.ts';
import { redactor } from './headers.ts';
import { modelsIn, modelsUrl, type ServedModelsOptions, sendForModels } from './served-models.ts';
import { describeUnreachable } from './unreachable.ts';

/** Returns the models that a server lists. Throws `ModelError` with a sentence that says why it lists none. */
export async function fetchModels(options: ServedModelsOptions): Promise<readonly ListedModel[]> {
  const { provider, timeoutMs } = options;
  const url = redactUrl(String(modelsUrl(options)));
  const headers = await options.headers();
  const redact = redactor(headers, provider);
  const answer = await sendForModels({ ...options, headers: async () => headers }).catch((error: unknown) => {
    throw failedError(error, url, timeoutMs, redact);
  });
  if (answer.status < 200 || answer.status > 299)
    throw statusError({ ...answer, body: answer.text, url, now: Date.now(), redact });
  const list = modelsIn(answer.text, options);
  if (list === undefined)
    throw new ModelError('invalid_response', `${url} answered with something that is not a list of models.`);
  return list;
}

function failedError(error: unknown, url: string, timeoutMs: number, redact: (text: string) => string): ModelError {
  const isLate = error instanceof ModelError && (error.code === 'aborted' || error.code === 'idle_timeout');
  if (isLate)
    return new ModelError('idle_timeout', `${url} did not list its models within ${timeoutMs / 1000} seconds.`);
  if (error instanceof ModelError) return error;
  return new ModelError('unreachable', redact(describeUnreachable(url, error).message), { cause: error });
}
