// One turn: node examples/first-run.mjs "what does this project do?"
import { createAgent } from 'oxbow';

const prompt = process.argv[2] ?? 'What does this project do?';
const agent = createAgent();
const thread = await agent.startThread();
try {
  const result = await thread.run(prompt, { limits: { maxRequests: 20 } });
  if (result.status === 'failed') throw new Error(result.error?.message);
  console.log(result.finalResponse);
  console.error(`${result.usage.totalTokens} tokens, thread ${thread.id}`);
} finally {
  await thread.close();
}
