import { isRecord } from '../../base/json-schema.ts';
import { clientCertificateOf } from '../../model/client-certificate.ts';
import { requestHeaders } from '../../model/headers.ts';
import type { HttpResponse } from '../../model/http.ts';
import { requestUrl } from '../../model/request-url.ts';
import type { Wire } from '../../wire/edge/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { parsedJson } from '../../wire/lowering/parsed-json.ts';
import { wiresToTry } from '../../wire/registry.ts';
import type { FoundTarget } from '../find-target.ts';
import type { ListModelsOptions } from './list-models.ts';

/** A request that a gateway passes on without knowing what it means. */
export interface ForwardedRequest {
  readonly wire: Wire;
  /** Path below the base URL of the server. */
  readonly path: string;
  /** Name of the model, as the client calls it. */
  readonly name: string;
  readonly body: Fields;
}

export interface ForwardOptions extends Omit<ListModelsOptions, 'targets'> {
  /** Returns the target of a name. May throw `ClientError`. */
  readonly findTarget: (name: string) => FoundTarget | Promise<FoundTarget>;
}

/**
 * Sends a request to the server of a model, if the wire is the first to try with that server. Returns the body of its
 * answer; undefined if there is none, or the server refused the request.
 */
export async function forward(
  { wire, path, name, body }: ForwardedRequest,
  { findTarget, credentials, env, http, world }: ForwardOptions,
): Promise<Fields | undefined> {
  const identity = { requestId: world.uuid(), originator: 'oxbow_gateway', userAgent: 'oxbow-gateway' };
  try {
    const target = await findTarget(name);
    if (target === undefined || wiresToTry(target.provider)[0] !== wire.name) return undefined;
    const { provider, model } = target;
    const headers = requestHeaders({ provider, identity, credentials: await credentials(provider), env, wire });
    const response = await http.send(requestUrl(provider, path), {
      headers: { ...headers, accept: 'application/json' },
      body: Buffer.from(JSON.stringify({ ...body, model })),
      idleTimeoutMs: TIMEOUT_MS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...clientCertificateOf(provider),
    });
    return await readJson(response);
  } catch {
    return undefined;
  }
}

const TIMEOUT_MS = 5000;
const MAX_BYTES = 1024 * 1024;

async function readJson(response: HttpResponse): Promise<Fields | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await response.read(TIMEOUT_MS); chunk !== null; chunk = await response.read(TIMEOUT_MS)) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_BYTES) {
      response.close();
      return undefined;
    }
  }
  response.release();
  if (response.status < 200 || response.status > 299) return undefined;
  const answer = parsedJson(Buffer.concat(chunks).toString());
  return isRecord(answer) ? answer : undefined;
}
