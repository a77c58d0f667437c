// Being asked before something leaves the sandbox: node examples/approve.mjs "install the dependencies"
import { createInterface } from 'node:readline/promises';
import { createAgent } from 'oxbow';

const agent = createAgent({ settings: { approval_policy: 'on-request', sandbox_mode: 'workspace-write' } });
const thread = await agent.startThread({
  async ask({ argv, reason, scopes }) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const choices = scopes.map(({ effect }, n) => `  ${n + 1}  ${effect}\n`).join('');
    const answer = await terminal.question(
      `${reason}\n  ${argv.at(-1) ?? ''}\n${choices}Allow? [1-${scopes.length}, or why not] `,
    );
    terminal.close();
    const chosen = scopes[Number(answer) - 1];
    return chosen ? { type: 'approve', scope: chosen.scope } : { type: 'decline', message: answer };
  },
});
const { finalResponse } = await thread.run(process.argv[2] ?? 'Install the dependencies.');
console.log(finalResponse);
await thread.close();
