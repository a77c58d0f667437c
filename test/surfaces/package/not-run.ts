/**
 * Every example of a page that no test runs as it stands, with the reason: a command by its first line, a block of text
 * by its first line, a program by one of its lines.
 */
export const NOT_RUN: Readonly<Record<string, string>> = {
  // Commands
  'npm ci': 'the tree has its packages already',
  'npm ci && npm start': 'it would build the tree again; test/surfaces/exec/demo.test.ts runs the demo',
  'npm ci && npm test': 'it would run this test again',
  'ok    mcp_servers.docs    npx: 4 tools': 'it needs servers; test/surfaces/mcp/doctor.test.ts has such rows',
  'npm pack': 'install.test.ts runs it, with the other lines of docs/install.md',
  'npm install -g ./oxbow-0.1.0.tgz': 'install.test.ts runs it',
  'codex "what does this project do?"                                             # in another one':
    'it needs Codex; test/surfaces/clients/codex runs it through the gateway',
  'oxbow gateway run --provider ollama -- codex "what does this project do?"':
    'it needs Codex; test/surfaces/gateway/run.test.ts runs other programs',
  'oxbow gateway run --upstream http://localhost:8000/v1 -m my-model -- codex':
    'it needs Codex; test/surfaces/gateway/run.test.ts runs other programs',
  'oxbow gateway run --upstream http://localhost:8000/v1 -m my-model -- claude':
    'it needs Claude Code; test/surfaces/gateway/run.test.ts runs other programs',
  'oxbow gateway run --upstream http://localhost:8000/v1 -m qwen3-coder -- claude':
    'it needs Claude Code; test/surfaces/clients/claude runs it through the gateway',
  'oxbow gateway --for codex -m qwen3-coder --write   # puts them into the file':
    'it asks on a terminal; test/surfaces/gateway/settings.test.ts answers',
  'codex debug models --bundled | jq \'{models: [.models[] | select(.slug == "gpt-5.5") | .slug = "qwen3-coder"':
    'it needs Codex; test/surfaces/clients/codex/check.mjs uses the same catalogue',
  'oxbow sandbox --mode workspace-write --allow-domain example.org -- curl https://example.org':
    'it needs the internet; test/behaviour/network runs the same against a local server',
  'oxbow models openrouter':
    'it needs the internet and a key; test/surfaces/exec/models.test.ts asks a server on this machine',
  'oxbow mcp-server --http 4142':
    'it listens on a port that may be taken, and never ends; test/surfaces/mcp-server/http.test.ts runs it on a free port',
  'oxbow "make the failing test pass"              # a new thread with its first prompt':
    'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow resume                                    # choose a thread of this folder':
    'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow resume --last "and now the tests"         # the newest thread, with a prompt':
    'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow resume "slow parser"                      # by name, by id, or by the beginning of an id':
    'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow fork 01a1dfaa-5614 --at 2                 # a copy of a thread, up to its second turn':
    'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow -m my-model -s read-only -a on-request    # a model, a sandbox and when you are asked':
    'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow resume "slow parser"                      # in the terminal':
    'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow "what does this project do?"': 'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow fork --last': 'it needs a terminal; test/surfaces/terminal/page.test.ts has one',
  'oxbow resume --last': 'it needs a terminal; test/surfaces/terminal/page.test.ts has one',

  // Texts
  'Run this with /bin/bash -c, outside the sandbox?':
    'it is a dialogue on a terminal; test/surfaces/exec/ask.test.ts reads and answers such questions',
  'data: {"choices":[{"delta":{"content":"I will run the tests."}}]}': 'the server of the next example sends it',
  '→ {"type":"input","text":"run the tests","id":"1"}':
    'its lines come in the order of the clock; test/behaviour/threads/steering/exec.test.ts sends and reads such lines',
  'The gateway listens on http://127.0.0.1:4141/v1': 'test/surfaces/gateway/command.test.ts reads it on a free port',
  'Codex, openai package, …   ──  /v1/responses         ──┐             ┌──  responses': 'it is a drawing',
  'repair A1: the finish signal did not say that tools were called (stop -> tool_calls)':
    'an example of the README prints it',
  'diverged: line 48 differs in payload.digest: some item between line 31 and this one is not the one that was sent then':
    'it needs a damaged thread; test/behaviour/threads/replay/replay.test.ts makes one',
  '[{ "id", "name", "preview", "cwd", "startedAt", "changedAt", "bytes", "source", "provider", "model", "forkedFrom", "metadata", "archived", "label", "path", "note" }]':
    'docs.test.ts compares its keys with those of the command',
  'Chunk ID: 1f0c3a': 'src/tools/exec-command/format-output.test.ts compares the form',
  'Exit code: 0': 'test/behaviour/tools/shell-family.test.ts and patch/tool.test.ts compare the form',

  // Programs, which are type-checked all the same, except those of other SDKs
  "createServer(gateway.handle).listen(4141, '127.0.0.1');": 'it listens on a port that may be taken, and never ends',
  "for (const { name, run } of environmentConformance(() => ({ environment: inContainer(), cwd: '/work' }))) test(name, run);":
    'it needs a container; src/exec/conformance.test.ts runs the suite',
  'const makeStore = async () => {': 'it needs a database; test/surfaces/library/own-store.test.ts runs the suite',
  "import { openai } from '@ai-sdk/openai';": 'it needs the AI SDK',
  "import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';": 'it needs the Claude Agent SDK',
  "import { Codex } from '@openai/codex-sdk';": 'it needs the Codex SDK; docs.test.ts compiles it with our import',
  "} from '@mariozechner/pi-coding-agent';": 'it needs pi',
};
