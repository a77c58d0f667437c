// A chat server for browsers: PORT=3000 node examples/programs/chat-server.mjs
//
//   POST   /threads             { "text": … }  starts a thread with a first turn: { "id": … }
//   POST   /threads/:id/turns   { "text": … }  starts the next turn; 409 while one runs
//   DELETE /threads/:id/turn                   interrupts the turn
//   GET    /threads/:id/events                 the events as they happen, for an EventSource
//   GET    /threads/:id/items                  everything that was shown so far
//
// A server for more than one user also checks who asks, and whose thread it is.
import { createServer } from 'node:http';
import { createAgent, UserError } from 'oxbow';
import { createEventStream } from './parts/event-stream.mjs';

/** Time after which a thread without a turn and without a listener is closed. It is resumed when it is needed. */
const IDLE_MS = Number(process.env.CHAT_IDLE_MS ?? 60_000);

/** @typedef {{ thread: import('oxbow').Thread, stream: ReturnType<typeof createEventStream>, timer?: NodeJS.Timeout }} Chat */

/** @param {object} line */
const log = (line) => console.log(JSON.stringify(line));

const agent = createAgent();
/** @type {Map<string, Promise<Chat>>} Open threads. Promises, so that two requests at once do not open one twice. */
const chats = new Map();
/** @type {Map<string, Promise<void>>} Threads that are being closed. */
const closing = new Map();

/** @param {Promise<import('oxbow').Thread>} opening @param {string} id */
function addChat(opening, id) {
  const chat = opening.then((thread) => ({ thread, stream: createEventStream(thread) }));
  chats.set(id, chat);
  chat.catch(() => chats.delete(id));
  return chat;
}

/** @param {string} id */
async function openChat(id) {
  await closing.get(id);
  return chats.get(id) ?? addChat(agent.resumeThread(id), id);
}

/** @param {Chat} chat @param {string} text */
function startTurn(chat, text) {
  if (chat.thread.running) throw new UserError('in_use', 'A turn is running.');
  chat.thread
    .run(text, { limits: { timeoutMs: 600_000 } })
    .catch(console.error)
    .finally(() => closeLater(chat));
}

/** @param {Chat} chat */
function closeLater(chat) {
  clearTimeout(chat.timer);
  chat.timer = setTimeout(async () => {
    if (chat.thread.running || chat.stream.listeners.size > 0) return;
    const { id } = chat.thread;
    chats.delete(id);
    closing.set(id, chat.thread.close());
    await closing.get(id);
    closing.delete(id);
    log({ type: 'closed', id });
  }, IDLE_MS).unref();
}

/** @param {import('node:http').IncomingMessage} request */
async function textOf(request) {
  return String(JSON.parse(Buffer.concat(await request.toArray()).toString()).text);
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function handle(request, response) {
  const [, , id = '', part = ''] = (request.url ?? '').split('/');
  /** @param {number} status @param {unknown} body */
  const reply = (status, body) => response.writeHead(status).end(JSON.stringify(body));
  switch (`${request.method} ${part}`) {
    case 'POST ': {
      const text = await textOf(request);
      const thread = await agent.startThread();
      startTurn(await addChat(Promise.resolve(thread), thread.id), text);
      return reply(201, { id: thread.id });
    }
    case 'POST turns': {
      const text = await textOf(request);
      startTurn(await openChat(id), text);
      return reply(202, {});
    }
    case 'DELETE turn':
      await (await openChat(id)).thread.abort('stopped by the user');
      return reply(200, {});
    case 'GET events': {
      const chat = await openChat(id);
      chat.stream.attach(response, String(request.headers['last-event-id'] ?? ''));
      return response.once('close', () => closeLater(chat));
    }
    case 'GET items':
      return reply(200, await agent.threads.items(id));
    default:
      return reply(404, { error: 'There is no such page.' });
  }
}

/** @type {Record<string, number>} */
const STATUS = { not_found: 404, in_use: 409, invalid_input: 400 };

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    const status = (error instanceof UserError && STATUS[error.code]) || (error instanceof SyntaxError ? 400 : 500);
    response.writeHead(status).end(JSON.stringify({ error: error.message }));
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') log({ type: 'listening', url: `http://127.0.0.1:${address?.port}` });
});
process.once('SIGTERM', async () => {
  await agent.close();
  server.close();
  server.closeAllConnections();
});
