import { answered } from './chat-server.mjs';

const TEXT = 'I look at the folder first, then I write what was asked for, and at the end I say what I did. '.split(
  /(?<= )/,
);

/** Returns the calls in one chunk each, with all of their arguments. `index` maps the number of a call to its index. */
const callChunks = (calls, chunk, index = (n) => n) =>
  calls.map(({ id, name, args }, n) =>
    chunk({
      tool_calls: [{ index: index(n), id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    }),
  );

const refused = (message, param) => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param, code: null } },
});

/** Returns the reasoning before the n-th calls. */
const thought = (n) => `Step ${n + 1}: the next tool is clear.`;

/** The servers, each with its faults and the parts of the gateway that must be seen at work. */
export const KINDS = [
  {
    name: 'stops although it called a tool (GLM-4.6)',
    repairs: ['A1'],
    speak: (calls, _body, chunk) => [
      ...TEXT.map((content) => chunk({ role: 'assistant', content })),
      ...callChunks(calls, chunk),
      chunk({}, 'stop'),
    ],
  },
  {
    name: 'writes its calls into the text',
    repairs: ['D1'],
    speak: (calls, _body, chunk) => [
      chunk({ role: 'assistant', content: 'On it.\n' }),
      ...calls
        .map(({ name, args }) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`)
        .flatMap((text) => text.match(/.{1,7}/gs))
        .map((content) => chunk({ content })),
      chunk({}, 'stop'),
    ],
  },
  {
    name: 'puts parallel calls on one index',
    atOnce: true,
    repairs: ['B6'],
    speak: (calls, _body, chunk) => [...callChunks(calls, chunk, () => 0), chunk({}, 'tool_calls')],
  },
  {
    name: 'wants its reasoning back',
    thoughts: 3,
    speak: (calls, body, chunk) => [
      ...thought(answered(body))
        .split(/(?<= )/)
        .map((reasoning_content) => chunk({ role: 'assistant', reasoning_content })),
      ...callChunks(calls, chunk),
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
    speak: (calls, _body, chunk) => [...callChunks(calls, chunk), chunk({}, 'tool_calls')],
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

/** A server whose model has no room for the first request. A request without tools asks it for a summary. */
export const NARROW = {
  name: 'has no room for a request',
  hasTask: false,
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
