import { callChunks, chunk, inBlocks, LAST_PART, part, textBlock, thinkingBlock, toolBlock, words } from './wires.mjs';

const TEXT = 'I look at the folder first, then I write what was asked for, and at the end I say what I did. ';

const refused = (message, param) => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param, code: null } },
});

/** Returns the reasoning before the n-th calls. */
const thought = (n) => `Step ${n + 1}: the next tool is clear.`;

/** Returns calls as a model writes them that knows no better way. */
const inText = (calls) =>
  calls.map(({ name, args }) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`).join('\n');

/** The chat servers, each with its faults and the parts of the gateway that must be seen at work. */
const CHAT_KINDS = [
  {
    name: 'stops although it called a tool (GLM-4.6)',
    repairs: ['A1'],
    speak: (calls) => [
      ...words(TEXT).map((content) => chunk({ role: 'assistant', content })),
      ...callChunks(calls),
      chunk({}, 'stop'),
    ],
  },
  {
    name: 'writes its calls into the text',
    repairs: ['D1'],
    speak: (calls) => [
      chunk({ role: 'assistant', content: 'On it.\n' }),
      ...inText(calls)
        .match(/.{1,7}/gs)
        .map((content) => chunk({ content })),
      chunk({}, 'stop'),
    ],
  },
  {
    name: 'puts parallel calls on one index',
    atOnce: true,
    repairs: ['B6'],
    speak: (calls) => [...callChunks(calls, () => 0), chunk({}, 'tool_calls')],
  },
  {
    name: 'wants its reasoning back',
    hasThoughts: true,
    speak: (calls, done) => [
      ...words(thought(done)).map((reasoning_content) => chunk({ role: 'assistant', reasoning_content })),
      ...callChunks(calls),
      chunk({}, 'tool_calls'),
    ],
    refuse({ messages }) {
      const turns = messages.filter(({ tool_calls }) => tool_calls?.length > 0);
      const lost = turns.findIndex(({ reasoning_content }, n) => reasoning_content !== thought(n));
      if (lost === -1) return undefined;
      const index = messages.indexOf(turns[lost]);
      return refused(
        `Missing \`reasoning_content\` field in the assistant message at message index ${index}. For more information, see the guide on thinking mode.`,
      );
    },
  },
  {
    name: 'takes neither developer nor parallel_tool_calls',
    // Only parameters that are not adapted before sending are refused once.
    refusals: 1,
    refuse({ messages, parallel_tool_calls }) {
      const index = messages.findIndex(({ role }) => role === 'developer');
      if (index !== -1) {
        return refused(
          `Failed to deserialize the JSON body into the target type: messages[${index}].role: unknown variant \`developer\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``,
        );
      }
      if (parallel_tool_calls === undefined) return undefined;
      return refused('Unrecognized request argument supplied: parallel_tool_calls', 'parallel_tool_calls');
    },
  },
];

const signature = (n) => Buffer.from(`signature of step ${n + 1}`).toString('base64');

const MESSAGES_KINDS = [
  {
    name: 'wants its signed thinking back',
    hasThoughts: true,
    speak: (calls, done) =>
      inBlocks([thinkingBlock(thought(done), signature(done)), ...calls.map(toolBlock)], 'tool_use'),
    refuse({ messages }) {
      const turns = messages.filter(
        ({ role, content }) => role === 'assistant' && content.some?.(({ type }) => type === 'tool_use'),
      );
      const isSigned = ({ content: [first] }, n) =>
        first.type === 'thinking' && first.thinking === thought(n) && first.signature === signature(n);
      const lost = turns.findIndex((turn, n) => !isSigned(turn, n));
      if (lost === -1) return undefined;
      return refused(
        `messages.${messages.indexOf(turns[lost])}.content.0: Invalid \`signature\` in \`thinking\` block`,
      );
    },
  },
  {
    name: 'ends its turn although it called a tool',
    repairs: ['A1'],
    speak: (calls) => inBlocks([textBlock(TEXT), ...calls.map(toolBlock)], 'end_turn'),
  },
  {
    name: 'writes its calls into the text',
    repairs: ['D1'],
    speak: (calls) => inBlocks([textBlock(`On it.\n${inText(calls)}`)], 'end_turn'),
  },
];

const OLLAMA_KINDS = [
  {
    name: 'thinks, and calls without ids',
    hasThoughts: true,
    speak: (calls, done) => [
      ...words(thought(done)).map((thinking) => part({ thinking })),
      part({ tool_calls: calls.map(({ name, args }) => ({ function: { name, arguments: args } })) }),
      LAST_PART,
    ],
  },
  {
    name: 'writes its calls into the text',
    repairs: ['D1'],
    speak: (calls) => [...words(`On it.\n${inText(calls)}`).map((content) => part({ content })), LAST_PART],
  },
];

/** All servers that work through the task. */
export const KINDS = [
  ...CHAT_KINDS.map((kind) => ({ wire: 'chat', ...kind })),
  ...MESSAGES_KINDS.map((kind) => ({ wire: 'messages', ...kind })),
  ...OLLAMA_KINDS.map((kind) => ({ wire: 'ollama', ...kind })),
];

/** A server whose model has no room for the first request that offers tools. One without tools wants a summary. */
export const NARROW = {
  name: 'has no room for a request',
  wire: 'chat',
  answer: ({ tools = [] }) => (tools.length === 0 ? 'SUMMARY OF WHAT WAS DONE' : 'There was room again.'),
  refuse: (_body, exchanges) =>
    exchanges.length > 0
      ? undefined
      : {
          status: 400,
          body: {
            error: {
              message:
                "This model's maximum context length is 4096 tokens. However, your messages resulted in 9120 tokens.",
              type: 'invalid_request_error',
              param: 'messages',
              code: 'context_length_exceeded',
            },
          },
        },
};
