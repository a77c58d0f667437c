import { isRecord } from '../base/json-schema.ts';
import type { Provider } from '../base/provider.ts';
import type { ClientWire, ListedModel, ModelListing } from '../base/wire.ts';
import { clientCertificateOf } from './client-certificate.ts';
import type { HttpResponse, HttpSender } from './http.ts';
import { requestUrl } from './request-url.ts';

export interface ServedModelsOptions {
  readonly provider: Provider;
  /** The wires that the server may speak, the most likely one first. */
  readonly wires: readonly [ModelsWire, ...ModelsWire[]];
  readonly http: HttpSender;
  /** Makes the headers of the request over a wire. May throw. */
  readonly headers: (wire: ModelsWire) => Promise<Readonly<Record<string, string>>>;
  readonly timeoutMs: number;
}

/** The properties of a wire that a request for a list of models depends on. */
export type ModelsWire = Pick<ClientWire, 'listing' | 'framing' | 'headers' | 'credential'>;

const MAX_BYTES = 8 * 1024 * 1024;
const NO_BODY = new Uint8Array();

/** Returns no models for a server that fails to list them in time: the server may still answer requests. */
export async function servedModels(options: ServedModelsOptions): Promise<readonly ListedModel[]> {
  return (await askForModels(options)) ?? [];
}

/** Returns the models that a server lists. Undefined for a server that does not answer in time. */
export async function askForModels(options: ServedModelsOptions): Promise<readonly ListedModel[] | undefined> {
  return await sendForModels(options).then(
    ({ models = [] }) => models,
    () => undefined,
  );
}

/** Answer of a server that was asked for its models, whatever its status. */
export interface ModelsAnswer extends Pick<HttpResponse, 'status' | 'headers'> {
  readonly url: URL;
  /** Bounded. */
  readonly text: string;
  /** Undefined if the answer is something else than a list of models. */
  readonly models: readonly ListedModel[] | undefined;
}

/** Asks a server for its models, over each of its wires until one has a list. Otherwise returns the first answer. */
export async function sendForModels(options: ServedModelsOptions): Promise<ModelsAnswer> {
  const [likely, ...others] = options.wires;
  const first = await sendOver(likely, options);
  if (first.models !== undefined) return first;
  const asked = new Set([formOf(likely)]);
  for (const wire of others) {
    if (asked.has(formOf(wire))) continue;
    asked.add(formOf(wire));
    const answer = await sendOver(wire, options).catch(() => undefined);
    if (answer?.models !== undefined) return answer;
  }
  return first;
}

/** Returns the address of the list of models over a wire. The URL is shared, so the caller must not change it. */
export function listUrl(provider: Provider, { listing = STANDARD_LISTING }: ModelsWire): URL {
  return requestUrl(provider, listing.path);
}

/** Returns the form of the request. Wires whose servers are asked in the same form have the same one. */
function formOf({ listing = STANDARD_LISTING, credential }: ModelsWire): string {
  return `${listing.path} ${credential.name}`;
}

async function sendOver(wire: ModelsWire, options: ServedModelsOptions): Promise<ModelsAnswer> {
  const { listing = STANDARD_LISTING } = wire;
  const { provider, http, headers, timeoutMs } = options;
  const url = listUrl(provider, wire);
  const response = await http.send(url, {
    method: 'GET',
    headers: { ...(await headers(wire)), accept: 'application/json' },
    body: NO_BODY,
    idleTimeoutMs: timeoutMs,
    signal: AbortSignal.timeout(timeoutMs),
    ...clientCertificateOf(provider),
  });
  const text = await readText(response, timeoutMs);
  const { status } = response;
  return { url, status, headers: response.headers, text, models: listIn(text, listing) };
}

async function readText(response: HttpResponse, timeoutMs: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await response.read(timeoutMs); chunk !== null; chunk = await response.read(timeoutMs)) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_BYTES) break;
  }
  response.release();
  return Buffer.concat(chunks).toString();
}

function listIn(text: string, { modelsIn }: ModelListing): readonly ListedModel[] | undefined {
  try {
    return modelsIn(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const STANDARD_LISTING: ModelListing = {
  path: '/models',
  modelsIn(body) {
    // Some servers leave out the object around the list.
    const data = isRecord(body) ? body.data : body;
    // Ollama writes null where it has no models.
    const list = data === null && isRecord(body) && body.object === 'list' ? [] : data;
    return Array.isArray(list) ? list.filter(isRecord).map((model) => ({ ...model, id: model.id })) : undefined;
  },
};
