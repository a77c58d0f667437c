import { describe, expect, onTestFinished } from 'vitest';
import { gate, reply, type Script, say } from '../../../src/testing/index.ts';
import { allNodes, testOn } from '../../harness/nodes.ts';
import { startExample } from '../../harness/run-example.ts';
import { type Scene, scene } from '../../harness/scene.ts';

interface Received {
  readonly id: string;
  /** The event, or `reset`. */
  readonly type: string;
}

/** Starts the chat server, which closes threads that were idle for this time. */
async function startChat(script: Script, node: string, idleMs = 60_000) {
  const s = await scene(script);
  const env = { CHAT_IDLE_MS: `${idleMs}` };
  const server = await startExample(s, 'programs/chat-server.mjs', { node, env, json: true });
  onTestFinished(() => server.kill('SIGKILL'));
  const { url } = (await server.waitForEvent(({ type }) => type === 'listening')) as unknown as { url: string };
  const send = (method: string, path: string, text?: string) =>
    fetch(`${url}${path}`, { method, ...(text === undefined ? {} : { body: JSON.stringify({ text }) }) });
  const start = async (text: string) => ((await (await send('POST', '/threads', text)).json()) as { id: string }).id;
  return { s, server, url, send, start };
}

/** Connects as a browser does. The server sends all events from now on. */
async function connect(url: string, lastId = ''): Promise<Response> {
  return fetch(url, { headers: { 'last-event-id': lastId } });
}

/** Reads events until one has this type, and hangs up. */
async function readUntil({ body }: Response, last: string): Promise<Received[]> {
  const received: Received[] = [];
  let rest = '';
  for await (const bytes of body ?? []) {
    const parts = (rest + Buffer.from(bytes).toString()).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
      const { type = field('event') } = JSON.parse(field('data'));
      received.push({ id: field('id'), type });
      if (type === last) return received;
    }
  }
  throw new Error(`The stream ended without ${last}.`);
}

const inputs = ({ model }: Scene) => JSON.stringify(model.requests.at(-1)?.body.input);

describe.each(allNodes())('programs/chat-server.mjs on Node %s', (_, node) => {
  const testHere = testOn(node);

  testHere('streams a turn to a browser that comes back', async () => {
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { url, start } = await startChat([reply(say('one '), gate(waiting), say('two'))], node);
    const id = await start('hello');
    const events = `${url}/threads/${id}/events`;
    const browser = await connect(events);
    go();
    const all = await readUntil(browser, 'turn.completed');
    expect(all[0]?.type).toBe('reset');
    const name = all.at(-1)?.id.split('-')[0];
    // All events of the thread, as for a browser that saw the very first one.
    const missed = await readUntil(await connect(events, `${name}-1`), 'turn.completed');
    expect(missed.map((event) => event.id)).toEqual(missed.map((_event, index) => `${name}-${index + 2}`));
    expect(missed.map(({ type }) => type)).toContain('text.delta');
    expect(missed.slice(1 - all.length)).toEqual(all.slice(1));
  });

  testHere('interrupts a turn, and refuses a second one meanwhile', async () => {
    const { url, start, send } = await startChat([reply(say('one'), gate(new Promise(() => {})))], node);
    const id = await start('hello');
    const browser = await connect(`${url}/threads/${id}/events`);
    expect((await send('POST', `/threads/${id}/turns`, 'more')).status).toBe(409);
    expect((await send('DELETE', `/threads/${id}/turn`)).status).toBe(200);
    await readUntil(browser, 'turn.aborted');
  });

  testHere('closes idle threads and resumes them', async () => {
    const { s, server, url, start, send } = await startChat((_request, n) => reply(say(`answer ${n}`)), node, 200);
    const id = await start('first question');
    await server.waitForEvent((event) => event.type === 'closed');
    const browser = await connect(`${url}/threads/${id}/events`, 'before-7');
    expect((await send('POST', `/threads/${id}/turns`, 'second question')).status).toBe(202);
    expect((await readUntil(browser, 'turn.completed'))[0]?.type).toBe('reset');
    expect(inputs(s)).toContain('first question');
    const items = (await (await send('GET', `/threads/${id}/items`)).json()) as { item: { text?: string } }[];
    expect(JSON.stringify(items)).toMatch(/first question.*answer 1.*second question.*answer 2/);
    server.kill('SIGTERM');
    expect(await server.wait()).toMatchObject({ code: 0, stderr: '' });
  });

  testHere('answers mistakes with the status that fits', async () => {
    const { url, send } = await startChat([], node);
    expect((await send('POST', '/threads/unknown/turns', 'x')).status).toBe(404);
    expect((await send('GET', '/threads/unknown/items')).status).toBe(404);
    expect((await fetch(`${url}/threads`, { method: 'POST', body: 'no JSON' })).status).toBe(400);
    expect((await send('PUT', '/threads')).status).toBe(404);
  });
});
