import { join } from 'node:path';
import { gatewayFaults } from '../programs/judge.mjs';
import { MODEL } from '../programs/scene.mjs';
import { claudeFaults } from './judge.mjs';

const END = 'That was all.';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

/** Returns a task with these calls, whose tools the requests of Claude Code itself offer. */
const calling =
  (...calls) =>
  (offers) =>
    offers.some(({ name }) => name === calls[0].name) ? { calls, text: END } : { calls: [], text: END };

const refused = (message) => ({ status: 400, body: { error: { message, type: 'invalid_request_error' } } });
const FULL = refused("This model's maximum context length is 4096 tokens. However, you requested 9120 tokens.");

const bodies = ({ server }) => server.exchanges.map(({ body }) => body);
const offers = ({ server: { wire } }, body) => wire.offers(body).map(({ name }) => name);

/**
 * Things that Claude Code does besides the task, on a chat server without faults unless `kind` says otherwise. `judge`
 * returns faults in addition to those of any run.
 */
export const FEATURES = [
  {
    title: 'tools are found by search',
    env: { ENABLE_TOOL_SEARCH: 'true' },
    task: () =>
      calling(
        { name: 'ToolSearch', args: { query: 'select:mcp__echoes__echo', max_results: 1 } },
        { name: 'mcp__echoes__echo', args: { text: 'a found tool' } },
      ),
    judge(scene) {
      const [first, second, third] = bodies(scene);
      const outputs = third ? scene.server.wire.outputs(third) : [];
      return [
        offers(scene, first).includes('mcp__echoes__echo') && 'the tool was offered before it was searched for',
        second && !offers(scene, second).includes('mcp__echoes__echo') && 'the found tool is not offered',
        JSON.stringify(second ?? '').includes('defer_loading') && 'the server is told of deferred loading',
        !outputs.some(({ text }) => text.includes('mcp__echoes__echo')) && 'the search has no result',
        !outputs.some(({ text }) => text.includes('echo of a found tool')) && 'the found tool did not run',
      ];
    },
  },
  {
    title: 'a search in the web fails, and the model is told so',
    task: () => calling({ name: 'WebSearch', args: { query: 'weather in Bern' } }),
    fails: 1,
    judge(scene) {
      const [output] = scene.server.wire.outputs(bodies(scene).at(-1));
      return [
        bodies(scene).length !== 2 && `the server got ${bodies(scene).length} requests, expected 2`,
        !output?.text.includes('has no web_search') && `the output is ${output?.text}`,
      ];
    },
  },
  {
    title: 'tokens are counted without the server',
    runs: [['/context']],
    task: () => () => ({ calls: [], text: END }),
    result: /Context Usage/,
    judge: (scene) => [bodies(scene).length > 0 && `the server got ${bodies(scene).length} requests`],
  },
  ...[
    { args: ['--effort', 'low'], effort: 'low' },
    { args: ['--effort', 'high'], effort: 'high' },
    { args: ['--model', 'haiku'], effort: 'high' },
  ].map(({ args, effort }) => ({
    title: `${args.join(' ')} makes the server think with effort ${effort}`,
    runs: [['Hello.', ...args]],
    task: () => () => ({ calls: [], text: END }),
    judge: (scene) =>
      bodies(scene).map(
        ({ reasoning_effort }) => reasoning_effort !== effort && `the effort is ${reasoning_effort}, not ${effort}`,
      ),
  })),
  {
    title: 'an agent with the small model gets the model of the gateway',
    task: () => {
      const agent = { description: 'Looks', prompt: 'LOOK AROUND', subagent_type: 'Explore' };
      return calling({ name: 'Agent', args: agent });
    },
    judge: (scene) => [
      bodies(scene).length !== 3 && `the server got ${bodies(scene).length} requests, expected 3`,
      ...bodies(scene).map(({ model }) => model !== MODEL && `the server is asked for ${model}`),
    ],
  },
  {
    title: 'an image reaches the server',
    write: { 'pixel.png': Buffer.from(PIXEL, 'base64') },
    task: (folder) => calling({ name: 'Read', args: { file_path: join(folder, 'pixel.png') } }),
    judge: (scene) => [!JSON.stringify(bodies(scene).at(-1)).includes('data:image/png;base64,') && 'there is no image'],
  },
  {
    title: 'a thread is compacted when there is no room',
    kind: {
      refuse: (_body, exchanges) => (exchanges.length === 3 ? FULL : undefined),
      answer: ({ messages }) =>
        JSON.stringify(messages.at(-1)).includes('TEXT ONLY') ? '<summary>WHAT WAS DONE</summary>' : END,
    },
    runs: [['Hello.'], ['More.', '--continue'], ['Even more.', '--continue'], ['Again.', '--continue']],
    fails: 1,
    judge: (scene) => [
      bodies(scene).length !== 6 && `the server got ${bodies(scene).length} requests, expected 6`,
      !JSON.stringify(bodies(scene).at(-1)).includes('WHAT WAS DONE') && 'the last request has no summary',
    ],
  },
  {
    title: 'a server that takes little is asked for little',
    kind: {
      answer: () => END,
      refuse({ messages, max_tokens, reasoning_effort }) {
        const isLate = messages.slice(1).some(({ role }) => role === 'system');
        if (isLate) return refused('System message must be at the beginning.');
        if (max_tokens > 8192) {
          return refused(
            `max_tokens is too large: ${max_tokens}. This model supports at most 8192 completion tokens, whereas you provided ${max_tokens}.`,
          );
        }
        return reasoning_effort && refused('Unrecognized request argument supplied: reasoning_effort');
      },
    },
    judge: (scene) => [
      bodies(scene).length !== 4 && `the server got ${bodies(scene).length} requests, expected 3 refused and one`,
      JSON.stringify(bodies(scene).at(-1)).includes('billing-header') && 'the server gets a line for other accounts',
    ],
  },
  {
    title: 'a server that breaks off is asked again',
    kind: {
      answer: () => END,
      cut: (frames, exchanges) => (exchanges.length === 1 ? frames.slice(0, 2) : frames),
    },
    fails: 1,
    judge: (scene) => [bodies(scene).length !== 2 && `the server got ${bodies(scene).length} requests, expected 2`],
  },
];

/** Returns the faults after the last run of a feature, as sentences. */
export function judgeFeature({ judge, result = END, fails = 0 }, scene, run) {
  const told = scene.gateway.exchanges();
  const failed = told.filter(({ status, error }) => status !== 200 || error !== null);
  return [
    ...claudeFaults(run, result),
    ...(fails > 0 && failed.length === fails ? [] : gatewayFaults({}, told)),
    ...judge(scene).filter(Boolean),
  ];
}
