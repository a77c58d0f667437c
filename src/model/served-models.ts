import { isRecord } from '../base/json-schema.ts';
import type { Provider } from '../base/provider.ts';
import type { ClientWire, ListedModel, ModelListing } from '../base/wire.ts';
import { clientCertificateOf } from './client-certificate.ts';
import type { HttpResponse, HttpSender } from './http.ts';
import { requestUrl } from './request-url.ts';

export interface ServedModelsOptions {
  readonly provider: Provider;
  readonly wire: Pick<ClientWire, 'listing'>;
  readonly http: HttpSender;
  /** Makes the headers of the request. May throw. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  readonly timeoutMs: number;
}

/** The list of a wire that does not say otherwise. */
const STANDARD_LISTING: ModelListing = {
  path: '/models',
  modelsIn(body) {
    // Some servers leave out the object around the list.
    const list = isRecord(body) ? body.data : body;
    return Array.isArray(list) ? list.filter(isRecord).map((model) => ({ ...model, id: model.id })) : undefined;
  },
};

const MAX_BYTES = 8 * 1024 * 1024;
const NO_BODY = new Uint8Array();

/** Returns no models for a server that fails to list them in time: the server may still answer requests. */
export async function servedModels(options: ServedModelsOptions): Promise<readonly ListedModel[]> {
  return (await askForModels(options)) ?? [];
}

/** Returns the models that a server lists. Undefined for a server that does not answer in time. */
export async function askForModels(options: ServedModelsOptions): Promise<readonly ListedModel[] | undefined> {
  const text = await sendForModels(options).then(
    (answer) => answer.text,
    () => undefined,
  );
  return text === undefined ? undefined : (modelsIn(text, options) ?? []);
}

/** Returns the models in the text of an answer; undefined if it is no list of models. */
export function modelsIn(
  text: string,
  { wire }: Pick<ServedModelsOptions, 'wire'>,
): readonly ListedModel[] | undefined {
  try {
    return (wire.listing ?? STANDARD_LISTING).modelsIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Answer of a server that was asked for its models, whatever its status. */
export interface ModelsAnswer extends Pick<HttpResponse, 'status' | 'headers'> {
  /** Bounded. */
  readonly text: string;
}

/** Returns the address of the list of models of a provider. */
export function modelsUrl({ provider, wire }: Pick<ServedModelsOptions, 'provider' | 'wire'>): URL {
  return requestUrl(provider, (wire.listing ?? STANDARD_LISTING).path);
}

/** Asks a server for its models. */
export async function sendForModels(options: ServedModelsOptions): Promise<ModelsAnswer> {
  const { provider, http, headers, timeoutMs } = options;
  const response = await http.send(modelsUrl(options), {
    method: 'GET',
    headers: { ...(await headers()), accept: 'application/json' },
    body: NO_BODY,
    idleTimeoutMs: timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
    ...clientCertificateOf(provider),
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await response.read(timeoutMs); chunk !== null; chunk = await response.read(timeoutMs)) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_BYTES) break;
  }
  response.release();
  return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString() };
}
