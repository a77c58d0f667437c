import { expect, test } from 'vitest';
import { defineTool } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';

const PARAMETERS = { type: 'object', properties: {}, additionalProperties: false } as const;

const tool = (name: string, run: () => string, namespace?: string) =>
  defineTool({
    name,
    description: name,
    parameters: PARAMETERS,
    run,
    ...(namespace === undefined ? {} : { namespace }),
  });

const offered = (s: LibraryScene, n: number) =>
  (s.model.requests[n]?.body.tools ?? []).map((spec) => ('name' in spec ? spec.name : spec.type));
const changes = (s: LibraryScene) =>
  s
    .rollout()
    .flatMap((line) => (line.type === 'oxbow' && line.payload.kind === 'prefix.changed' ? [line.payload.cause] : []));

test('tools added or removed between two requests of a turn take effect with the next request, and the change is logged', async () => {
  const late = tool('late', () => 'here now');
  const opener = tool('open', () => {
    tools = [opener, late];
    return 'opened';
  });
  const closer = tool('close', () => 'gone');
  let tools = [opener, closer];
  const s = await libraryScene(
    [
      reply(call('open', {})),
      reply(call('late', {})),
      reply(call('close', {})),
      reply(say('done')),
      reply(say('next')),
    ],
    {},
    { tools: () => tools },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  expect(offered(s, 0)).toEqual(expect.arrayContaining(['open', 'close']));
  expect(offered(s, 0)).not.toContain('late');
  expect(offered(s, 1)).toEqual(expect.arrayContaining(['open', 'late']));
  expect(offered(s, 1)).not.toContain('close');
  expect(s.outputs(2).get('call_2')).toBe('here now');
  expect(s.outputs(3).get('call_3')).toBe('unsupported call: close');
  expect(changes(s)).toEqual(['start', 'tools']);
  tools = [];
  await thread.run('two');
  expect(changes(s)).toEqual(['start', 'tools', 'tools']);
  await thread.close();
});

test('the calls of a response use the tools of its request, even if the tools have changed since', async () => {
  const kept = tool('kept', () => {
    tools = [];
    return 'first';
  });
  const other = tool('other', () => 'second');
  let tools = [kept, other];
  const s = await libraryScene(
    [reply(call('kept', {}), call('other', {})), reply(say('done'))],
    {},
    { tools: () => tools },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  expect([...s.outputs(1).values()]).toEqual(['first', 'second']);
  await thread.close();
});

test('tools of one name in different namespaces are told apart', async () => {
  const tools = [tool('search', () => 'of docs', 'docs'), tool('search', () => 'of issues', 'issues')];
  const s = await libraryScene(
    [
      reply(
        call('search', {}, { namespace: 'issues' }),
        call('docs__search', {}),
        call('search', {}, { namespace: 'docs' }),
      ),
      reply(
        call('search', {}),
        call('search', {}, { namespace: 'elsewhere' }),
        call('update_plan', { plan: [] }, { namespace: 'functions' }),
      ),
      reply(say('done')),
    ],
    {},
    { tools },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  expect(offered(s, 0)).toEqual(expect.arrayContaining(['docs__search', 'issues__search']));
  expect([...s.outputs(1).values()]).toEqual(['of issues', 'of docs', 'of docs']);
  const [bare, elsewhere, plan] = [...s.outputs(2).values()].slice(3);
  expect([bare, elsewhere]).toEqual(['unsupported call: search', 'unsupported call: elsewhere.search']);
  expect(plan).toBe('Plan updated');
  await thread.close();
});

test('a server that knows namespaces gets them', async () => {
  const tools = [tool('search', () => 'found', 'docs'), tool('open', () => 'opened', 'docs')];
  const s = await libraryScene(
    [reply(call('open', {}, { namespace: 'docs' })), reply(say('done'))],
    {
      model_providers: { scripted: { requires_openai_auth: true } },
    },
    { tools },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  const spec = s.model.requests[0]?.body.tools?.find(({ type }) => type === 'namespace');
  expect(spec).toMatchObject({ name: 'docs', tools: [{ name: 'search' }, { name: 'open' }] });
  expect([...s.outputs(1).values()]).toEqual(['opened']);
  await thread.close();
});
