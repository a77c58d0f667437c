// Going on with the newest thread of this folder: node examples/resume.mjs "and what about the tests?"
import { createAgent } from 'oxbow';

const agent = createAgent();
const thread = await agent.resumeThread(await agent.lastThread());
const { finalResponse } = await thread.run(process.argv[2] ?? 'Go on.');
console.log(finalResponse);
await thread.close();
