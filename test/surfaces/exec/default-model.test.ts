import { expect, test } from 'vitest';
import { fault, reply, type Script, say } from '../../../src/testing/index.ts';
import { listing } from '../../harness/listing.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import type { ProgramResult } from '../../harness/start-program.ts';

const LACKS_IT = fault.status(404, { error: { message: 'model not found', code: 'model_not_found' } });

test('without a model, the default model is sent to a provider of the user too', async () => {
  const { result, model } = await runWith([reply(say('done'))], { models: [] });
  expect(result).toMatchObject({ code: 0 });
  expect(model.requests.map(({ body }) => body.model)).toEqual(['gpt-5.5']);
});

test('a server on this machine with one model gets that one, with a notice', async () => {
  const { result, model } = await runWith([reply(say('done'))], { models: ['tiny'] });
  expect(model.requests.map(({ body }) => body.model)).toEqual(['tiny']);
  const message = expect.stringMatching(
    /^No model is set\. The server at http:\/\/\S+ has only tiny, which is used\.$/,
  );
  expect(result.events.slice(0, 2)).toMatchObject([{ type: 'thread.started' }, { item: { type: 'error', message } }]);
});

test('the header names the model that is sent, and the notice follows it', async () => {
  const { workspace, model } = await scene([reply(say('done'))]);
  const front = await listing(model, ['tiny']);
  workspace.configure(`model_provider = "mock"\n[model_providers.mock]\nbase_url = "${front.url}"\n`);
  const { stderr } = await runOxbow(['exec', 'hello'], { workspace });
  expect(stderr).toMatch(/^oxbow [\s\S]*\nmodel: tiny \(mock\)\n[\s\S]*No model is set\. /);
});

test('a model that is named is sent, although the server has one other', async () => {
  const { model, lists } = await runWith([reply(say('done'))], { models: ['tiny'], args: ['-m', 'mine'] });
  expect(model.requests.map(({ body }) => body.model)).toEqual(['mine']);
  expect(lists()).toBe(0);
});

test('the error about a model that the server lacks lists the models that it has', async () => {
  const { result } = await runWith([LACKS_IT], { models: ['small', 'large'] });
  expect(result.code).toBe(1);
  expect(messageOf(result)).toMatch(
    /The server has no model "gpt-5\.5"\. It has: small, large\. Name one with model = "NAME" in config\.toml\. On the command line: -m NAME\.$/,
  );
});

test('a server that lists no models leaves the error as it is', async () => {
  const { result } = await runWith([LACKS_IT], { models: 'none' });
  expect(result.code).toBe(1);
  expect(messageOf(result)).not.toContain('It has');
});

function messageOf({ events }: Pick<ProgramResult, 'events'>): string {
  return String((events.at(-1)?.error as { message?: string } | undefined)?.message);
}

interface Served {
  /** Names that the server lists. `none`: it has no list. */
  readonly models: readonly string[] | 'none';
  readonly args?: readonly string[];
}

/** Runs the program without a model in its configuration. */
async function runWith(script: Script, { models, args = [] }: Served) {
  const { model, workspace } = await scene(script);
  const front = await listing(model, models);
  workspace.configure(
    `model_provider = "mock"\n[model_providers.mock]\nname = "Mock"\nbase_url = "${front.url}"\nwire_api = "responses"\n`,
  );
  const result = await runOxbow(['exec', '--json', '--skip-git-repo-check', ...args, 'hello'], { workspace });
  return { result, model, lists: front.lists };
}
