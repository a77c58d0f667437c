// Text and commands as they happen: node examples/stream.mjs "run the tests"
import { createAgent } from 'oxbow';

const thread = await createAgent().startThread();
const { events } = await thread.runStreamed(process.argv[2] ?? 'Run the tests.');
for await (const event of events) {
  if (event.type === 'text.delta') process.stdout.write(event.delta);
  if (event.type === 'item.started' && event.item.type === 'command') {
    process.stdout.write(`\n$ ${event.item.argv.at(-1)}\n`);
  }
  if (event.type === 'command.output') process.stdout.write(event.text);
  if (event.type === 'turn.failed') process.exitCode = 1;
}
process.stdout.write('\n');
await thread.close();
