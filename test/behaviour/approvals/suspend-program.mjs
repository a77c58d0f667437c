// Makes one step of a thread: begins it, answers one of its questions, or goes on without a question.
import { createAgent } from 'oxbow';

const agent = createAgent({ settings: { approval_policy: 'on-request', sandbox_mode: 'read-only' } });
const ask = () => ({ type: 'suspend' });
const last = await agent.lastThread().catch(() => undefined);
const thread = last === undefined ? await agent.startThread({ ask }) : await agent.resumeThread(last, { ask });
const [question] = thread.asks;
const result = question ? await thread.answer(question.id, 'approved') : await thread.run('go');
await agent.close();
console.log(result.status);
