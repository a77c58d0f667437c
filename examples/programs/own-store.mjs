// Threads in a store of your own: node examples/programs/own-store.mjs "what did I ask before?"
import { createAgent } from 'oxbow';
import { storeOf } from './parts/json-file-store.mjs';
import { openThreadsFile } from './parts/threads-file.mjs';

const agent = createAgent({ store: storeOf(openThreadsFile('threads.jsonl')), builtInTools: 'none' });

// Lists, forks, names and usage work on any store.
/** @type {string | undefined} */
let last;
for await (const { id, preview } of agent.threads.list({ limit: 5 })) {
  last ??= id;
  console.log(`${id}  ${preview}`);
}
const thread = last === undefined ? await agent.startThread() : await agent.resumeThread(last);
const { finalResponse } = await thread.run(process.argv[2] ?? 'What did I ask before?');
console.log(finalResponse);
console.log(`${(await agent.threads.show(thread.id)).turns.length} turns`);
await agent.close();
