import { readFileSync } from 'node:fs';
import { stringify } from 'smol-toml';
import { expect, onTestFinished } from 'vitest';
import { TESTED_WIRES } from '../../../../src/gateway/test-answer.ts';
import { createWorkspace } from '../../../../src/testing/index.ts';
import type { JsonEvent } from '../../../harness/json-lines.ts';
import { type OxbowOptions, startOxbow } from '../../../harness/run-oxbow.ts';
import type { RunningProgram } from '../../../harness/start-program.ts';

/** A running `oxbow gateway`. */
export interface GatewayProcess {
  readonly url: string;
  readonly port: number;
  readonly program: RunningProgram;
  /** Returns the exchanges that it has printed so far. */
  exchanges(): readonly JsonEvent[];
  /** Resolves with the n-th event of this type, from 0. */
  event(type: string, n: number): Promise<JsonEvent>;
  /** Returns the value of `oxbow_gateway_active`. */
  active(): Promise<number>;
  /** Returns its memory in bytes. Needs /proc. */
  memory(): number;
  /** Writes a new configuration, which the gateway reads at SIGHUP. */
  configure(settings: GatewayTables): void;
  /** Stops it and checks that it reported no error. */
  stop(): Promise<void>;
}

export interface GatewayTables {
  /** Base URL of the server. A model has the name of the wire on which it is asked. */
  readonly server: string;
  /** Settings of `[gateway]`. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** Further names of models. */
  readonly models?: Readonly<Record<string, string>>;
}

export const KEY = 'sk-key-of-the-server-0123456789';

/** Starts the real program. It is always stopped after the test. */
export async function startGatewayProcess(
  tables: GatewayTables,
  { timeoutMs = 110_000, wrap = [] }: Pick<OxbowOptions, 'timeoutMs' | 'wrap'> = {},
): Promise<GatewayProcess> {
  const workspace = createWorkspace();
  onTestFinished(() => workspace.dispose());
  workspace.configure(configText(tables));
  const args = ['gateway', '--port', '0', '--json'];
  const program = await startOxbow(args, { workspace, env: { SERVER_KEY: KEY }, timeoutMs, wrap });
  onTestFinished(async () => {
    program.kill('SIGKILL');
    await program.wait();
  });
  const { url } = await program.waitForEvent(({ type }) => type === 'gateway.started');
  const ofType = (type: string) => program.events.filter((event) => event.type === type);
  return {
    url: String(url),
    port: Number(new URL(String(url)).port),
    program,
    exchanges: () => ofType('gateway.exchange'),
    event: (type, n) => program.waitForEvent((event) => event.type === type && ofType(type)[n] === event),
    active: async () => activeIn(await (await fetch(`${url}/metrics`)).text()),
    memory: () => memoryOf(program.pid),
    configure: (next) => workspace.configure(configText(next)),
    async stop() {
      program.kill('SIGTERM');
      const { code, stderr } = await program.wait();
      expect(stderr).toBe(`The gateway listens on ${url}/v1\n`);
      expect(code).toBe(0);
    },
  };
}

function configText({ server, gateway, models }: GatewayTables): string {
  const provider = { base_url: server, env_key: 'SERVER_KEY', request_max_retries: 0 };
  return stringify({
    gateway: {
      ...gateway,
      models: { ...Object.fromEntries(TESTED_WIRES.map((wire) => [wire, `over-${wire}/m`])), ...models },
    },
    model_providers: Object.fromEntries(TESTED_WIRES.map((wire) => [`over-${wire}`, { ...provider, wire_api: wire }])),
  });
}

function activeIn(metrics: string): number {
  return Number(/^oxbow_gateway_active (\d+)$/m.exec(metrics)?.[1]);
}

function memoryOf(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
