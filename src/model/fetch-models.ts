import { ModelError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { redactUrl } from '../base/redact-url.ts';
import { statusError } from './errors.ts';
import { redactor } from './headers.ts';
import { requestUrl } from './request-url.ts';
import { type ListedModel, type ServedModelsOptions, sendForModels } from './served-models.ts';
import { describeUnreachable } from './unreachable.ts';

/** Returns the models that a server lists. Throws `ModelError` with a sentence that says why it lists none. */
export async function fetchModels(options: ServedModelsOptions): Promise<readonly ListedModel[]> {
  const { provider, timeoutMs } = options;
  const url = redactUrl(String(requestUrl(provider, '/models')));
  const headers = await options.headers();
  const redact = redactor(headers, provider);
  const answer = await sendForModels({ ...options, headers: async () => headers }).catch((error: unknown) => {
    throw failedError(error, url, timeoutMs, redact);
  });
  if (answer.status < 200 || answer.status > 299)
    throw statusError({ ...answer, body: answer.text, url, now: Date.now(), redact });
  const list = listIn(answer.text);
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

function listIn(text: string): ListedModel[] | undefined {
  try {
    const body: unknown = JSON.parse(text);
    // Some servers leave out the object around the list.
    const list = isRecord(body) ? body.data : body;
    return Array.isArray(list) ? list.filter(isRecord).map((model) => ({ ...model, id: model.id })) : undefined;
  } catch {
    return undefined;
  }
}
