// A scripted chat server in a process of its own, for bench/gateway.mjs. The name of the model selects the answer:
// burst-N sends N words as fast as possible, paced-N sends one word a millisecond (each word is the time of its
// writing), and held-N begins and waits for the message `release`. The message `count` is answered with the number of
// waiting streams.
import { createServer } from 'node:http';

const held = new Set();

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    // Some gateways ask for a list of models.
    if (request.method !== 'POST') return response.writeHead(404).end();
    const { model } = JSON.parse(Buffer.concat(parts).toString());
    const [way, count] = model.split('-');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: '' }));
    WAYS[way](response, Number(count));
  });
});

const WAYS = {
  burst(response, count) {
    for (let n = 0; n < count; n++) response.write(chunk({ content: ` word${n}` }));
    finish(response);
  },
  paced(response, count) {
    response.write(chunk({ content: `@${now()}` }));
    if (count > 1) setTimeout(WAYS.paced, 1, response, count - 1);
    else finish(response);
  },
  held(response) {
    response.write(chunk({ content: ' word' }));
    held.add(response);
    response.once('close', () => held.delete(response));
  },
};

function finish(response) {
  response.write(chunk({}, 'stop'));
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.end(`${frame({ ...FIELDS, choices: [], usage })}data: [DONE]\n\n`);
}

const FIELDS = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'bench' };

function chunk(delta, finish_reason = null) {
  return frame({ ...FIELDS, choices: [{ index: 0, delta, finish_reason }] });
}

function frame(value) {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Returns milliseconds on the clock that all processes of a machine share. */
function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

server.keepAliveTimeout = 120_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => process.send(server.address().port));
process.on('message', (message) => {
  if (message === 'release') for (const response of held) finish(response);
  process.send(held.size);
});
process.on('disconnect', () => process.exit());
