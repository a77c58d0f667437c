// Saying more while a turn runs: node examples/steer.mjs "run the tests"
import { createAgent } from 'oxbow';

let said = false;
const thread = await createAgent().startThread({
  onEvent(event) {
    // When the first command starts, so that something happens here. A program would pass on what its user types.
    if (event.type === 'item.started' && event.item.type === 'command' && !said) {
      said = true;
      thread.steer('Answer in one sentence.').catch(console.error);
    }
    if (event.type !== 'input.taken') return;
    for (const part of event.content) if ('text' in part) console.log(`> ${part.text}`);
  },
});
const { finalResponse } = await thread.run(process.argv[2] ?? 'Run the tests.');
console.log(finalResponse);
// Input that came too late for that turn starts the next one.
if (thread.queue.length > 0) console.log((await thread.run([])).finalResponse);
await thread.close();
