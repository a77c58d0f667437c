// Commands and files in a container: node examples/programs/own-environment.mjs "run the tests" docker exec -i box
import { spawn } from 'node:child_process';
import { createAgent } from 'oxbow';
import { environmentFromExec } from 'oxbow/adapters';

const [prompt = 'Run the tests.', program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error('Say how to reach the machine, for example: docker exec -i box');

const agent = createAgent({
  // Each thread gets an environment of its own, which is closed with the thread.
  environment: environmentFromExec({ exec: (argv) => spawn(program, [...args, ...argv]), login: false }),
  // The container is the sandbox, so nothing has to be asked.
  settings: { sandbox_mode: 'danger-full-access', approval_policy: 'never' },
});
const thread = await agent.startThread({
  onEvent(event) {
    if (event.type === 'command.output') process.stdout.write(event.text);
    if (event.type === 'item.completed' && event.item.type === 'file_change')
      for (const { kind, path } of event.item.changes) console.log(`${kind} ${path}`);
  },
});
const { finalResponse } = await thread.run(prompt);
console.log(finalResponse);
await agent.close();
