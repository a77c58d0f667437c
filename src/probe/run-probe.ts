import type { Provider } from '../base/provider.ts';
import { requestHeaders } from '../model/headers.ts';
import { askForModels, type ModelsWire } from '../model/served-models.ts';
import { BASE_PATHS, loadWiresToTry } from '../wire/registry.ts';
import { belowPath, lacksPath } from './address.ts';
import { isSilent } from './answer.ts';
import { type BoundedHttp, boundedHttp } from './bounded-http.ts';
import type { Check, CheckOutcome } from './check.ts';
import { CHECKS } from './checks/index.ts';
import type { ProbeOptions } from './parts.ts';
import { createProbeRun, type ProbeRun } from './probe-run.ts';
import type { CheckedRow, ModelSource, ProbeFailure, ProbeReport } from './report.ts';

const MAX_BYTES = 512 * 1024;

/** Number of requests for each usual one, at most. Refused requests are sent again in other forms. */
const MAX_FORMS = 3;

/** The extent of a probe, known before it begins. */
export interface ProbeExtent {
  /** Number of requests to a server that refuses nothing. */
  readonly usual: number;
  readonly most: number;
}

/** Returns the extent of a probe. One request may ask for the list of models. */
export function probeExtent(only?: readonly string[]): ProbeExtent {
  const usual = chosen(only).reduce((sum, { asks }) => sum + asks, 1);
  return { usual, most: usual * MAX_FORMS };
}

function chosen(only: readonly string[] | undefined): readonly Check[] {
  return only === undefined ? CHECKS : CHECKS.filter(({ id }) => only.includes(id));
}

/**
 * Learns how a server behaves from small requests, one at a time. Ends early when no answer comes.
 * Throws only for bugs.
 */
export async function runProbe(options: ProbeOptions): Promise<ProbeReport> {
  const { only, onProgress, signal } = options;
  const http = boundedHttp(options.http, { maxRequests: probeExtent(only).most, maxBytes: MAX_BYTES });
  const { model, source } = await chooseModel(options, http);
  const run = createProbeRun(options, http, model);
  const rows: CheckedRow[] = [];
  let failure: ProbeFailure | undefined;
  for (const [index, check] of chosen(only).entries()) {
    if (failure !== undefined) {
      rows.push({ id: check.id, status: 'skipped', says: 'not tried', requests: 0 });
      continue;
    }
    onProgress?.({ check: check.id, number: index + 1, of: chosen(only).length });
    const before = http.sent;
    const outcome = await check.run(run);
    rows.push({ id: check.id, ...outcome, requests: http.sent - before });
    failure = failureAfter(run, outcome, signal);
  }
  const { provider, wire, wires, compat, findings, called } = run;
  return {
    provider: { ...provider, compat },
    model,
    modelSource: source,
    wires,
    wire: wire?.name ?? null,
    compat,
    checks: rows,
    findings,
    requests: http.sent,
    callsTools: called !== undefined,
    failure: failure ?? null,
  };
}

/** Returns why the probe cannot go on; undefined if it can. */
function failureAfter(run: ProbeRun, { says }: CheckOutcome, signal: AbortSignal): ProbeFailure | undefined {
  if (signal.aborted) return { message: 'The probe was interrupted.', code: 'aborted', status: null };
  if (run.wire === undefined) {
    const failed = run.answers.find(({ error }) => error?.message === says)?.error;
    return { message: says, code: failed?.code ?? null, status: failed?.status ?? null };
  }
  const last = run.answers.slice(-MAX_SILENT);
  const error = last.at(-1)?.error;
  if (error === undefined || last.length < MAX_SILENT || !last.every(isSilent)) return undefined;
  return { message: `The server stopped answering: ${error.message}`, code: error.code, status: error.status ?? null };
}

/** Number of requests without an answer in a row after which the probe ends. */
const MAX_SILENT = 2;

async function chooseModel(
  options: ProbeOptions,
  http: BoundedHttp,
): Promise<{ readonly model: string; readonly source: ModelSource }> {
  const { provider, model, credentials, identity, env, timeoutMs } = options;
  if (model !== undefined) return { model, source: 'given' };
  if (provider.defaultModel !== undefined) return { model: provider.defaultModel, source: 'default' };
  const headers = async (wire: ModelsWire) =>
    requestHeaders({ provider, identity, credentials: await credentials(false), env, wire });
  for (const place of placesOf(provider)) {
    const wires = await loadWiresToTry(place);
    const listed = await askForModels({ provider: place, wires, http, headers, timeoutMs });
    if (listed === undefined) break;
    const names = listed.flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : []));
    const found = names.find((name) => !NO_TALK.test(name)) ?? names[0];
    if (found !== undefined) return { model: found, source: 'listed' };
  }
  // Many servers of one model take any name, and the others say what is wrong.
  return { model: 'default', source: 'unknown' };
}

/** Returns a provider at each address that its server may have. */
function placesOf(provider: Provider): readonly Provider[] {
  return lacksPath(provider) ? [provider, ...BASE_PATHS.map((path) => belowPath(provider, path))] : [provider];
}

/** Names of models that do not talk. */
const NO_TALK = /embed|rerank|whisper|tts|dall-e|moderation|transcribe|image/i;
