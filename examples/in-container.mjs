// Commands and files in a container: node examples/in-container.mjs "what is in this folder?" my-container
// Without a container, a shell of this machine stands for it.
import { spawn } from 'node:child_process';
import { createAgent } from 'oxbow';
import { environmentFromExec } from 'oxbow/adapters';

const [prompt = 'What is in this folder?', container] = process.argv.slice(2);

/**
 * Starts a program there.
 * @type {import('oxbow/adapters').Exec}
 */
const exec = ([program, ...args]) =>
  container === undefined ? spawn(program, args) : spawn('docker', ['exec', '-i', container, program, ...args]);

const agent = createAgent({
  // The container is the sandbox.
  settings: { sandbox_mode: 'danger-full-access' },
  environment: environmentFromExec({ exec, cwd: container === undefined ? '/' : '/workspace', login: false }),
});
const thread = await agent.startThread();
const { finalResponse } = await thread.run(prompt);
console.log(finalResponse);
await agent.close();
