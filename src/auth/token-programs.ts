import { ModelError, messageOf } from '../base/errors.ts';
import type { Provider, TokenProgram } from '../base/provider.ts';

/** Tokens that programs of the user print. Requests at the same time share one run of a program. */
export interface TokenPrograms {
  /** Returns a token. `refused`: the server has refused the last one. Throws `ModelError` when the program fails. */
  tokenOf(provider: Provider, program: TokenProgram, refused: boolean): Promise<string>;
}

export interface TokenProgramsOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns a time in milliseconds. */
  readonly now: () => number;
}

export function createTokenPrograms({ env, now }: TokenProgramsOptions): TokenPrograms {
  const known = new Map<string, { readonly token: string; readonly at: number }>();
  const running = new Map<string, Promise<string>>();

  async function run(key: string, provider: Provider, program: TokenProgram): Promise<string> {
    const token = await printedToken(provider, program, env);
    known.set(key, { token, at: now() });
    return token;
  }

  return {
    async tokenOf(provider, program, refused) {
      const key = JSON.stringify(program);
      const last = known.get(key);
      const isFresh = program.refreshIntervalMs === 0 || now() - (last?.at ?? 0) < program.refreshIntervalMs;
      if (last && isFresh && !refused) return last.token;
      const started = running.get(key) ?? run(key, provider, program).finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
  };
}

async function printedToken(
  { id, name }: Provider,
  { command, args, cwd, timeoutMs }: TokenProgram,
  env: TokenProgramsOptions['env'],
): Promise<string> {
  const { programOutput } = await import('../exec/process/program-output.ts');
  const end = await programOutput({ argv: [command, ...args], cwd, env, timeoutMs });
  const fail = (what: string) =>
    new ModelError(
      'auth',
      `The program ${command}, which prints the key of ${name}, ${what} It is set in [model_providers.${id}.auth] of config.toml.`,
    );
  if (end.type === 'not started') throw fail(`could not be started: ${messageOf(end.error)}.`);
  if (end.type === 'timed out') throw fail(`printed no key in ${timeoutMs} ms. Set timeout_ms if it needs longer.`);
  if (end.code !== 0)
    throw fail(`failed (${end.code === null ? 'killed' : `exit code ${end.code}`})${said(end.stderr)}.`);
  const token = end.stdout.trim();
  if (token === '') throw fail(`printed nothing${said(end.stderr)}.`);
  if (/\s/.test(token)) throw fail('printed more than a key. It must print the key alone.');
  return token;
}

const MAX_SAID_CHARS = 200;

/** Returns the last line that a program wrote about its failure. */
function said(stderr: string): string {
  const line = stderr.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.slice(0, MAX_SAID_CHARS).replace(/\.$/, '')}`;
}
