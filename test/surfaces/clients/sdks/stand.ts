import { vi } from 'vitest';
import type { RecordedRequest, ScriptedAnswer } from '../../../../src/testing/index.ts';
import { createWorkspace } from '../../../../src/testing/index.ts';
import type { JsonEvent } from '../../../harness/json-lines.ts';
import { startOxbow } from '../../../harness/run-oxbow.ts';
import { openOneWireModel, type WireName } from '../one-wire-model.ts';

/** A gateway in front of a model of one wire, which serves many tests one after another. */
export interface Stand {
  /** Address of the gateway, without a path. */
  readonly origin: string;
  /** Requests of the model since the last `play`. */
  readonly requests: readonly RecordedRequest[];
  /** Sets the answers of the model for one test. */
  play(...answers: readonly ScriptedAnswer[]): void;
  /** Resolves to the n-th request since the last `play`, from 1. */
  waitForRequest(n: number): Promise<RecordedRequest>;
  /** Resolves to the events of the last exchanges, when all of them have ended. */
  lastExchanges(count: number): Promise<readonly JsonEvent[]>;
  close(): Promise<void>;
}

/** Starts a model and a gateway that knows only its address. */
export async function openStand(server: WireName): Promise<Stand> {
  const model = await openOneWireModel(server, []);
  const workspace = createWorkspace();
  const args = ['gateway', '--upstream', model.url, '-m', 'scripted', '--port', '0', '--json'];
  const gateway = await startOxbow(args, { workspace, timeoutMs: 600_000 });
  const { url } = await gateway.waitForEvent(({ type }) => type === 'gateway.started');
  const exchanges = () => gateway.events.filter(({ type }) => type === 'gateway.exchange');
  let asked = 0;
  return {
    origin: String(url),
    get requests() {
      return model.requests.slice(asked);
    },
    play(...answers) {
      asked = model.requests.length;
      model.play(answers);
    },
    async waitForRequest(n) {
      const isThere = () => model.requests.length >= asked + n;
      // The model counts requests on all paths, and detecting the protocol takes some on other paths.
      await vi.waitUntil(isThere, { timeout: 20_000, interval: 5 });
      return model.requests[asked + n - 1] as RecordedRequest;
    },
    async lastExchanges(count) {
      // An event is printed a moment after its exchange, so the gateway is asked how many there have been.
      await vi.waitUntil(async () => exchanges().length === (await endedExchanges(String(url))), { timeout: 20_000 });
      return exchanges().slice(-count);
    },
    async close() {
      gateway.kill('SIGKILL');
      await gateway.wait();
      await model.close();
      workspace.dispose();
    },
  };
}

/** Returns the number of exchanges that a gateway has had; undefined while some are under way. */
async function endedExchanges(origin: string): Promise<number | undefined> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const sum = (name: string) =>
    Array.from(text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, 'gm')), ([, count]) => Number(count)).reduce(
      (total, count) => total + count,
      0,
    );
  return sum('oxbow_gateway_active') === 0 ? sum('oxbow_gateway_exchanges_total') : undefined;
}
