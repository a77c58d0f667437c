// The client's side of bench/gateway.mjs: requests to whoever stands behind a URL, and when their answers came.
import { Agent, request } from 'node:http';

const WIRES = {
  chat: {
    path: '/v1/chat/completions',
    end: 'data: [DONE]',
    body: (text) => ({ messages: [{ role: 'user', content: text }] }),
  },
  responses: {
    path: '/v1/responses',
    end: 'event: response.completed',
    body: (text) => ({
      store: false,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
    }),
  },
};

const REQUEST_MS = 30_000;

/** A client with connections of its own, which asks a question of so many characters. */
export function createClient(url, wire, chars = 2) {
  const agent = new Agent({ keepAlive: true });
  const { path, end, body } = WIRES[wire];
  const question = 'h'.repeat(chars);
  return {
    end,
    close: () => agent.destroy(),
    /** `onData(bytes)` sees what came; resolves when the answer has ended. */
    stream(model, onData) {
      const text = JSON.stringify({ model, stream: true, ...body(question) });
      const headers = { 'content-type': 'application/json', 'content-length': text.length };
      return new Promise((resolve, reject) => {
        const outgoing = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
          if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`));
          answer.on('data', onData);
          answer.on('end', resolve);
          answer.on('error', reject);
        });
        outgoing.on('error', reject);
        outgoing.setTimeout(REQUEST_MS, () => outgoing.destroy(new Error(`${url} was silent for too long`)));
        outgoing.end(text);
      });
    },
  };
}

/** The time to the first byte of an answer with one word, in milliseconds. */
export async function firstByteMs(client) {
  const began = now();
  let first = 0;
  await client.stream('burst-1', () => {
    first ||= now();
  });
  return first - began;
}

/** How long each of so many words was on its way. */
export async function chunkMs(client, count) {
  const times = [];
  await client.stream(`paced-${count}`, (bytes) => {
    const arrived = now();
    // Some clients are told the whole text again at the end.
    for (const [, written] of bytes.toString('latin1').matchAll(/@(\d+\.?\d*)/g)) {
      if (times.length < count) times.push(arrived - Number(written));
    }
  });
  // The first comes with the head; what that takes is measured on its own.
  return times.slice(1);
}

/** So many streams, some at a time; gives how many there were in a second. */
export async function streamsPerSecond(client, { count, words, atOnce }) {
  const began = now();
  let left = count;
  const work = async () => {
    while (left-- > 0) {
      let size = 0;
      await client.stream(`burst-${words}`, (bytes) => {
        size += bytes.length;
      });
      if (size < words * 4) throw new Error(`An answer of ${words} words had ${size} bytes.`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return count / ((now() - began) / 1000);
}

/** Opens so many streams that begin and wait, some at a time. Gives when all have begun. */
export async function holdStreams(client, { count, atOnce }) {
  const ends = [];
  let ended = 0;
  const open = () =>
    new Promise((resolve, reject) => {
      let tail = '';
      const over = client.stream('held-1', (bytes) => {
        tail = (tail + bytes.toString('latin1')).slice(-4000);
        if (tail.includes('word')) resolve();
      });
      ends.push(
        over.then(() => {
          ended += Number(tail.includes(client.end));
        }, reject),
      );
    });
  const work = async () => {
    while (ends.length < count) await open();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return {
    /** Resolves with how many came to a proper end. */
    async ended() {
      await Promise.all(ends);
      return ended;
    },
  };
}

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}
