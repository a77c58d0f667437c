// Asking now and being answered later, in another process. The first run asks: node examples/approve-later.mjs
// The second run answers: node examples/approve-later.mjs yes
import { createAgent } from 'oxbow';

const agent = createAgent({ settings: { approval_policy: 'on-request', sandbox_mode: 'workspace-write' } });
const answer = process.argv[2];
// Questions that come up while the turn goes on are left open too.
const ask = () => /** @type {const} */ ({ type: 'suspend' });
const thread =
  answer === undefined ? await agent.startThread({ ask }) : await agent.resumeThread(await agent.lastThread(), { ask });

let result = answer === undefined ? await thread.run('Install the dependencies.') : undefined;
for (const { id } of answer === undefined ? [] : thread.asks)
  result = await thread.answer(id, answer === 'yes' ? 'approved' : { type: 'decline', message: answer });

for (const { shown, reason } of thread.asks) console.log(`May this run? ${shown}\n${reason}`);
if (result?.status === 'completed') console.log(result.finalResponse);
await agent.close();
