import { findLocalServers, type LocalServer } from '../../app/commands/find-local-servers.ts';
import { UserError } from '../../base/errors.ts';
import { type LoadOptions, loadConfig } from '../../config/load-config.ts';

/** Ways to start a server that is built in, by its provider. */
const STARTS: Readonly<Record<string, string>> = {
  ollama: 'ollama serve',
  lmstudio: 'lms server start',
};

/** Models that Codex asks servers on this machine for when the user names no model. */
const USUAL_MODELS: ReadonlySet<string> = new Set(['gpt-oss:20b', 'openai/gpt-oss-20b']);

interface Wish {
  /** Model of the command line. */
  readonly model: string | undefined;
  /** Provider of the command line. */
  readonly provider: string | undefined;
}

/** Provider and model, as settings. */
interface LocalChoice {
  readonly provider: string;
  /** Undefined: the server is asked for the configured one. */
  readonly model: string | undefined;
}

/**
 * Returns the server on this machine for `--oss`, and its model. Throws `UserError` where no server runs, or where the
 * user has to choose.
 */
export async function chooseLocalServer(options: LoadOptions, wish: Wish): Promise<LocalChoice> {
  const config = loadConfig(options);
  const wanted = wish.provider ?? config.ossProvider ?? undefined;
  const all = await findLocalServers(config, wanted);
  const tried = all.filter(({ id }) => wanted === undefined || id === wanted);
  if (tried.length === 0) throw notLocal(wanted ?? '', all);
  const running = tried.filter(isRunning);
  const { id, name, models } = onlyServer(tried, running, wish.model ?? config.model ?? undefined);
  return { provider: id, model: wish.model ?? chooseModel(name, models, config.model) };
}

type RunningServer = LocalServer & { readonly models: readonly string[] };

function isRunning(server: LocalServer): server is RunningServer {
  return server.models !== undefined;
}

function onlyServer(
  tried: readonly LocalServer[],
  running: readonly RunningServer[],
  model: string | undefined,
): RunningServer {
  const having = running.filter(({ models }) => model !== undefined && models.includes(model));
  const [server, ...others] = having.length === 1 ? having : running;
  if (server === undefined) throw noneRuns(tried);
  if (others.length === 0) return server;
  const found = running.map(({ id, models }) => `${id} (${models.join(', ') || 'no models'})`).join(', ');
  throw new UserError(
    'invalid_input',
    `Several servers run on this machine: ${found}. Choose one with --local-provider NAME, or a model that only one has with -m MODEL.`,
  );
}

/** Returns the model to ask for. Undefined for a server that lists none: it may still answer. */
function chooseModel(name: string, models: readonly string[], configured: string | null): string | undefined {
  if (models.length === 0 || (configured !== null && models.includes(configured))) return undefined;
  const usual = models.find((model) => USUAL_MODELS.has(model));
  const [only, ...others] = models;
  if (usual !== undefined || others.length === 0) return usual ?? only;
  throw new UserError('invalid_input', `${name} has several models: ${models.join(', ')}. Choose one with -m MODEL.`);
}

function noneRuns(tried: readonly LocalServer[]): UserError {
  const places = tried.map(({ name, baseUrl }) => `${name} at ${baseUrl}`).join(', ');
  const starts = tried.flatMap(({ id }) => STARTS[id] ?? []);
  const advice = starts.length === 0 ? 'Start it' : `Start one with ${starts.join(' or ')}`;
  return new UserError(
    'not_found',
    `No server answers on this machine. Tried: ${places}. ${advice}, then run this again.`,
  );
}

function notLocal(wanted: string, all: readonly LocalServer[]): UserError {
  const known = all.map(({ id }) => id).join(', ');
  return new UserError('invalid_input', `The provider "${wanted}" is not on this machine. These are: ${known}.`);
}
