// The floor: the least Node code that sends a history, runs the command that comes back, and sends it all again. Oxbow
// is measured by its cost above this floor. BENCH_URL is the base URL of the model server.
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';

const url = `${process.env.BENCH_URL}/responses`;
const agent = new Agent({ keepAlive: true });
const tools = [
  {
    type: 'function',
    name: 'exec_command',
    description: 'Runs a command.',
    parameters: { type: 'object', properties: { cmd: { type: 'string' } }, required: ['cmd'] },
  },
];
const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }];

let calls;
do {
  const items = finishedItems(await ask());
  input.push(...items);
  calls = items.filter((item) => item.type === 'function_call');
  for (const { call_id, arguments: text } of calls) {
    input.push({ type: 'function_call_output', call_id, output: await run(JSON.parse(text).cmd) });
  }
} while (calls.length > 0);
agent.destroy();

function ask() {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ model: 'bench', stream: true, tools, input }));
  });
}

function finishedItems(stream) {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)))
    .filter((event) => event.type === 'response.output_item.done')
    .map((event) => event.item);
}

function run(command) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/bash', ['-lc', command], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (part) => {
      output += part;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => resolve(`Process exited with code ${code}\nOutput:\n${output}`));
  });
}
