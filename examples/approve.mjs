// Being asked before something leaves the sandbox: node examples/approve.mjs "install the dependencies"
import { createInterface } from 'node:readline/promises';
import { createAgent } from 'oxbow';

const agent = createAgent({ settings: { approval_policy: 'on-request', sandbox_mode: 'workspace-write' } });
const thread = await agent.startThread({
  async ask({ argv, reason }) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await terminal.question(`${reason}\n  ${argv.at(-1)}\nAllow? [y/N] `);
    terminal.close();
    return answer.trim().toLowerCase() === 'y' ? 'approved' : 'denied';
  },
});
const { finalResponse } = await thread.run(process.argv[2] ?? 'Install the dependencies.');
console.log(finalResponse);
await thread.close();
