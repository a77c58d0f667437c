import { afterEach } from 'vitest';
import { type OxbowOptions, startOxbow } from '../../harness/run-oxbow.ts';
import type { RunningProgram } from '../../harness/start-program.ts';

/**
 * Returns a function that starts the gateway on a free port. At the end of a test its gateways are stopped, before the
 * workspace, which holds the log, is removed.
 */
export function gatewayStarter() {
  const running: RunningProgram[] = [];
  afterEach(async () => {
    for (const program of running.splice(0)) {
      program.kill('SIGKILL');
      await program.wait();
    }
  });
  return async (args: readonly string[], options: OxbowOptions) => {
    const program = await startOxbow(['gateway', '--port', '0', '--json', ...args], options);
    running.push(program);
    const { url } = await program.waitForEvent(({ type }) => type === 'gateway.started');
    const exchange = (n: number) =>
      program.waitForEvent(
        (event) => event.type === 'gateway.exchange' && program.events.filter(isExchange).indexOf(event) === n,
      );
    return { program, url: String(url), exchange };
  };
}

const isExchange = ({ type }: { readonly type?: unknown }) => type === 'gateway.exchange';

export interface Asked {
  readonly path?: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks a gateway as a client would. */
export function ask(url: string, { path = '/v1/responses', model = 'm', headers = {} }: Asked = {}): Promise<Response> {
  const content = path.endsWith('/responses')
    ? { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }] }
    : { messages: [{ role: 'user', content: 'hello' }] };
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream: true, ...content }),
  });
}
