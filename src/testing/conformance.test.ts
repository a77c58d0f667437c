import { expect, test } from 'vitest';
import type { Environment, OpenOptions } from '../base/environment.ts';
import type { FetchLike } from '../base/fetch-like.ts';
import type { Model, StreamedEvent } from '../base/model.ts';
import { testEnvironment } from '../exec/environment/test-environment.ts';
import type { ConformanceCase } from './conformance-case.ts';
import { environmentConformance } from './environment/conformance.ts';
import { modelConformance } from './model/conformance.ts';
import { eventFaults } from './model/event-faults.ts';
import { createWorkspace } from './temp-workspace.ts';
import { transportConformance } from './transport/conformance.ts';

/** Returns the names of the cases that fail. */
async function failing(cases: readonly ConformanceCase[], only: RegExp = /./): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of cases.filter((one) => only.test(one.name))) {
    await run().catch(() => void failed.push(name));
  }
  return failed;
}

function environmentCases(change: (environment: Environment) => Partial<Environment>): readonly ConformanceCase[] {
  return environmentConformance(() => {
    const workspace = createWorkspace();
    const environment = testEnvironment();
    const files = (policy: Parameters<Environment['files']>[0]) => environment.files(policy);
    return {
      environment: { ...environment, files, ...change(environment) },
      cwd: workspace.path,
      close: workspace.dispose,
    };
  });
}

test('an environment that breaks its promises fails', async () => {
  const deaf = environmentCases(({ open }) => ({
    open: (action, options: OpenOptions) => open(action, { ...options, onOutput() {} }),
  }));
  expect(await failing(deaf, /reported/)).toEqual([
    'its output is reported as it arrives, and its end once with all output',
  ]);
  const careless = environmentCases(({ files }) => ({
    files: (policy) => ({
      ...files(policy),
      change: (changes, options) => files(policy).change(changes.slice(0, 1), options),
    }),
  }));
  expect(await failing(careless, /nothing is changed|at once/)).toEqual([
    'files are added, changed, moved and deleted at once',
    'nothing is changed when a file is not what the change expects',
  ]);
});

const model = (stream: Model['stream']): Model => ({ stream, maxStreamRetries: 1, retryDelayMs: () => 1 });

test('a model that breaks its promises fails', async () => {
  async function* silent(): AsyncGenerator<StreamedEvent> {
    yield { type: 'completed', responseId: 'r', usage: null, endTurn: null };
  }
  const failed = await failing(
    modelConformance(() => ({ model: model(silent) })),
    /^(a text|calls|the tokens|reasoning|a refusal|an aborted)/,
  );
  expect(failed).toHaveLength(6);
});

test('events out of order are named', () => {
  const events: StreamedEvent[] = [
    { type: 'text.delta', itemId: 'm', delta: 'x' },
    { type: 'item.started', item: { type: 'message', id: 'm' } },
    { type: 'completed', responseId: 'r', usage: null, endTurn: null },
    { type: 'created', responseId: 'r' },
  ];
  expect(eventFaults(events)).toEqual([
    'event 1, text.delta: m is not open',
    'event 3, completed: is not the last',
    'event 4, created: is not the first',
    'the response has no end',
  ]);
});

test('a transport that breaks its promises fails', async () => {
  const following: FetchLike = (url, init) => fetch(url, { ...init, redirect: 'follow' });
  const unabortable: FetchLike = (url, { signal: _, ...init }) => fetch(url, init);
  expect(
    await failing(
      transportConformance(() => ({ fetch: following })),
      /redirect/,
    ),
  ).toHaveLength(1);
  expect(
    await failing(
      transportConformance(() => ({ fetch: bounded(unabortable) })),
      /aborting/,
    ),
  ).toHaveLength(1);
});

/** Gives up on a request that would wait forever. */
function bounded(fetch: FetchLike): FetchLike {
  return (url, init) => Promise.race([fetch(url, init), new Promise<never>(() => {}), resolveLater()]);
}

async function resolveLater(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  return { status: 0, headers: { forEach() {} }, body: null } as never;
}
