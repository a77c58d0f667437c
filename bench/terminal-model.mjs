// A scripted model for bench/terminal.mjs, in a process of its own. The last word of the user decides about the answer:
// `tokens N RATE` streams N tokens of marked-up text, RATE a second; `words N` streams words with the time in them, 50 a
// second; `lines N` sends N lines at once; `wait MS` says nothing for a while; anything else is answered with a word. A
// number after # ends the answer, after a letter that nothing else has. It tells when each request came and when each
// answer ended.
import { createServer } from 'node:http';

const BEAT_MS = 2;

const server = createServer((request, response) => {
  const arrived = now();
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"object":"list","data":[],"models":[]}');
      return;
    }
    const isChat = request.url.endsWith('/chat/completions');
    const text = lastWords(JSON.parse(Buffer.concat(parts).toString()));
    process.send({ type: 'request', arrived });
    answer(isChat ? chatStream(response) : responsesStream(response), text)
      .then(() => process.send({ type: 'answered', at: now() }))
      .catch(() => response.destroy());
  });
});

/** Returns the last text of the user in a request of either protocol. */
function lastWords({ input, messages }) {
  const content = (input ?? messages).findLast(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : (content.findLast((part) => part.text)?.text ?? '');
}

async function answer(stream, text) {
  const [, kind, count = '0', rate = '0'] = /(tokens|words|lines|wait) (\d+)(?: (\d+))?/.exec(text) ?? [];
  if (kind === 'wait') await delay(Number(count));
  stream.begin();
  if (kind === 'tokens') await inTime(Number(count), Number(rate), (index) => stream.say(token(index)));
  else if (kind === 'words') await inTime(Number(count), 50, () => stream.say(`w${Math.round(now() * 1000)}w `));
  else if (kind === 'lines')
    for (let line = 0; line < Number(count); line += 20) {
      stream.say(Array.from({ length: 20 }, (_, index) => `${lineOf(line + index)}\n`).join(''));
      if (line % 1000 === 0) await stream.drained();
    }
  else stream.say('answered');
  const [, number] = /#(\d+)/.exec(text) ?? [];
  if (number !== undefined) stream.say(`\n\nΩ${number}Ω`);
  stream.end();
}

/** Calls `count` times, `rate` times a second. Calls that are late are made up for. */
function inTime(count, rate, call) {
  const started = now();
  let done = 0;
  return new Promise((resolve) => {
    const beat = setInterval(() => {
      const due = Math.min(count, Math.floor(((now() - started) * rate) / 1000));
      while (done < due) call(done++);
      if (done < count) return;
      clearInterval(beat);
      resolve();
    }, BEAT_MS);
  });
}

const TEXT =
  `The **parser** reads a line at a time, and it keeps the state of the line before. A block ends where a blank line, a
fence or a heading begins, so that nothing is looked at twice; the rest waits in \`pending\` until more text has come.

- the first item says what the function returns
- the second one names \`options.width\`, which is never zero
- the last item is *short*

\`\`\`ts
export function widthOf(row: string): number {
  return row.length + 1;
}
\`\`\`

`.match(/\s*\S+[ ]?|\n+/g);

const token = (index) => TEXT[index % TEXT.length];
const lineOf = (line) => (line % 8 === 7 ? '' : `Line ${line} has a few words in it, as the lines of an answer do.`);

function responsesStream(response) {
  const id = `resp_${Math.random().toString(36).slice(2)}`;
  const item = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'in_progress', content: [] };
  let text = '';
  const put = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  return {
    begin() {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      put('response.created', { response: { id, status: 'in_progress' } });
      put('response.output_item.added', { output_index: 0, item });
      const part = { type: 'output_text', text: '', annotations: [] };
      put('response.content_part.added', { item_id: item.id, output_index: 0, content_index: 0, part });
    },
    say(delta) {
      text += delta;
      put('response.output_text.delta', { item_id: item.id, output_index: 0, content_index: 0, delta });
    },
    drained: () => drained(response),
    end() {
      const done = { ...item, status: 'completed', content: [{ type: 'output_text', text, annotations: [] }] };
      put('response.output_item.done', { output_index: 0, item: done });
      const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
      put('response.completed', { response: { id, status: 'completed', output: [done], usage } });
      response.end();
    },
  };
}

function chatStream(response) {
  const put = (delta, more = {}) => {
    const choices = [{ index: 0, delta, finish_reason: null, ...more }];
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  return {
    begin() {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      put({ role: 'assistant', content: '' });
    },
    say: (content) => put({ content }),
    drained: () => drained(response),
    end() {
      put({}, { finish_reason: 'stop' });
      response.end('data: [DONE]\n\n');
    },
  };
}

const drained = (response) =>
  new Promise((resolve) => (response.writableNeedDrain ? response.once('drain', resolve) : setImmediate(resolve)));

const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

process.on('disconnect', () => process.exit());
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
