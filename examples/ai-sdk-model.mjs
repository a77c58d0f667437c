// A model of the Vercel AI SDK: node examples/ai-sdk-model.mjs
// With a provider: npm install @ai-sdk/anthropic, then anthropic('…') instead of the small model below.
import { createAgent } from 'oxbow';
import { modelFromLanguageModel } from 'oxbow/adapters';

/** @type {import('oxbow/adapters').LanguageModel} */
const echo = {
  specificationVersion: 'v3',
  provider: 'example',
  modelId: 'echo',
  async doStream({ prompt }) {
    const last = prompt.findLast(({ role }) => role === 'user');
    const words = last?.role === 'user' ? last.content.map((part) => (part.type === 'text' ? part.text : '')) : [];
    return { stream: streamOf(`You said: ${words.join('')}`) };
  },
};

/**
 * Returns the parts of a response.
 * @param {string} text
 */
function streamOf(text) {
  const usage = { inputTokens: { total: 5 }, outputTokens: { total: 3 } };
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: text },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: { unified: 'stop' }, usage },
  ];
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

const agent = createAgent({ settings: { model: 'echo' }, model: modelFromLanguageModel(echo) });
const thread = await agent.startThread();
const { finalResponse } = await thread.run(process.argv[2] ?? 'Good morning.');
console.log(finalResponse);
await agent.close();
