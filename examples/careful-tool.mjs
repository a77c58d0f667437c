// A tool that asks before it spends money, and says how far it is: node examples/careful-tool.mjs "order 3 chairs"
import { createAgent, defineTool } from 'oxbow';
import { z } from 'zod';

const order = defineTool({
  name: 'order',
  description: 'Orders things from the shop.',
  parameters: z.object({ article: z.string(), count: z.int().min(1).max(100) }),
  needsApproval: ({ article, count }) => count > 1 && `It orders ${count} times "${article}".`,
  timeoutMs: 30_000,
  async run({ article, count }, { idempotencyKey, progress, signal }) {
    progress(`ordering ${count} times ${article}`);
    // Here a shop would be asked, with the signal and the key: fetch(shop, { signal, headers: { 'Idempotency-Key': … } })
    signal.throwIfAborted();
    return `ordered ${count} times ${article}, number ${idempotencyKey.slice(0, 8)}`;
  },
});

const agent = createAgent({ tools: [order], settings: { approval_policy: 'on-request' } });
const thread = await agent.startThread({
  ask: ({ reason }) => {
    console.log(reason);
    return 'approved';
  },
  onEvent: (event) => event.type === 'call.progress' && console.log(event.text),
});
const { finalResponse } = await thread.run(process.argv[2] ?? 'Order 3 chairs.');
console.log(finalResponse);
await thread.close();
