import { expect, test } from 'vitest';
import { call, encodeReply, fault, raw, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { outputsOf, over, WIRES } from '../../harness/wires.ts';

const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'weather' } };
const added = raw({
  type: 'response.output_item.added',
  output_index: 0,
  item: { type: 'web_search_call', id: 'ws_1', status: 'in_progress' },
});
const done = raw({ type: 'response.output_item.done', output_index: 0, item });

const shown = (status: string, query: string) => ({ type: 'web_search', id: 'ws_1', query, status });

test('a search by the server begins and ends, gets no output and does not end the turn', async () => {
  const s = await libraryScene([reply(added, done, say('Rain.')), reply(say('Still.'))], { web_search: 'live' });
  const thread = await s.agent.startThread(s.threadOptions());
  expect((await thread.run('weather?')).finalResponse).toBe('Rain.');
  expect(s.model.requests).toHaveLength(1);
  const searches = s.events.flatMap((event) =>
    'item' in event && event.item.type === 'web_search' ? [[event.type, event.item]] : [],
  );
  expect(searches).toEqual([
    ['item.started', shown('running', '')],
    ['item.completed', { ...shown('completed', 'weather'), action: item.action }],
  ]);
  await thread.run('and now?');
  await thread.close();
  const input = s.model.requests[1]?.body.input ?? [];
  expect(input).toContainEqual(item);
  expect(input.filter(({ type }) => type.endsWith('_output'))).toEqual([]);
});

test('a response with only a search does not cause another request', async () => {
  const s = await libraryScene([reply(added, done)], { web_search: 'live' });
  const thread = await s.agent.startThread(s.threadOptions());
  expect((await thread.run('weather?')).status).toBe('completed');
  await thread.close();
  expect(s.model.requests).toHaveLength(1);
});

test('a search in a response that breaks off has failed', async () => {
  const whole = encodeReply(reply(added));
  const broken = fault.cut(reply(added), whole.indexOf('event: response.completed'));
  const s = await libraryScene([broken, reply(done, say('Rain.'))], { web_search: 'live' });
  const thread = await s.agent.startThread(s.threadOptions());
  expect((await thread.run('weather?')).finalResponse).toBe('Rain.');
  await thread.close();
  const ends = s.events.flatMap((event) =>
    event.type === 'item.completed' && event.item.type === 'web_search' ? [event.item.status] : [],
  );
  expect(ends).toEqual(['failed', 'completed']);
});

test('`exec --json` shows it as Codex does, and the output for people is one line', async () => {
  const script = [reply(added, done, say('Rain.'))];
  const config = { web_search: 'live' };
  const json = await scene(script);
  const { events } = await runOxbow(['exec', '--json', 'weather?'], { ...json, config });
  const searches = events.flatMap(({ type, item: one }) => (one?.type === 'web_search' ? [{ type, item: one }] : []));
  expect(searches).toEqual([
    { type: 'item.started', item: { id: 'item_0', type: 'web_search', query: '', action: { type: 'other' } } },
    { type: 'item.completed', item: { id: 'item_0', type: 'web_search', query: 'weather', action: item.action } },
  ]);
  const human = await scene(script);
  const { stderr } = await runOxbow(['exec', 'weather?'], { ...human, config });
  expect(stderr).toContain('searched the web: weather\n');
});

const printing = (script: string) => ({
  tools: { web_search: { command: ['sh', '-c', script, 'search', '{query}'] } },
});

test.each(WIRES)('over %s a command searches, with the query as one argument', async (wire) => {
  const query = '"a"; $(touch hacked) `b` {query} \\ ünï';
  const s = await libraryScene(
    [reply(call('web_search', { query }, { callId: 'it' })), reply(say('done'))],
    // The command runs outside the sandbox, where it can write.
    over(wire, { ...printing('printf "%s|%s" "$#" "$1"; touch written'), sandbox_mode: 'read-only' }),
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  expect(outputsOf(s.model, 1).get('it')).toBe(`1|${query}`);
  expect(s.workspace.read('written')).toBe('');
  expect(() => s.workspace.read('hacked')).toThrow('ENOENT');
  const items = s.events.flatMap((event) => ('item' in event ? [event.item] : []));
  expect(items.filter(({ type }) => type === 'web_search')).toEqual([
    { type: 'web_search', id: 'it', query, status: 'running' },
    { type: 'web_search', id: 'it', query, status: 'completed' },
  ]);
  expect(items.filter(({ type }) => type === 'command' || type === 'tool_call')).toEqual([]);
});

test('a failed search reports the reason, and the turn goes on', async () => {
  const s = await libraryScene(
    [reply(call('web_search', { query: 'x' }, { callId: 'it' })), reply(say('done'))],
    printing('echo no key; exit 4'),
  );
  const thread = await s.agent.startThread(s.threadOptions());
  expect((await thread.run('go')).finalResponse).toBe('done');
  await thread.close();
  expect(outputsOf(s.model, 1).get('it')).toBe('err: the search failed: it ended with exit code 4.\nno key\n');
  expect(s.events).toContainEqual(expect.objectContaining({ type: 'call.ended', name: 'web_search', success: false }));
});
