import type { CommandTable } from '../command.ts';

/** Returns a command of the interactive terminal. */
const terminalCommand = (name: 'resume' | 'fork') => async () => {
  const { interactive, interactiveHelps } = await import('../interactive.ts');
  return { help: interactiveHelps[name], run: (argv: readonly string[]) => interactive(name, argv) };
};

export const commands: CommandTable = {
  resume: { summary: 'Go on with a thread in the terminal', load: terminalCommand('resume') },
  fork: { summary: 'Go on in a copy of a thread', load: terminalCommand('fork') },
  exec: { summary: 'Run one turn and print the answer', load: () => import('./exec.ts') },
  login: { summary: 'Sign in with ChatGPT or an API key', load: () => import('./login.ts') },
  logout: { summary: 'Sign out', load: () => import('./logout.ts') },
  accounts: { summary: 'List, choose and remove accounts', load: () => import('./accounts.ts') },
  threads: { summary: 'List, name, archive and delete threads', load: () => import('./threads.ts') },
  usage: { summary: 'Show the tokens, cost and time of threads', load: () => import('./usage.ts') },
  replay: { summary: 'Run a thread again from its log and compare', load: () => import('./replay.ts') },
  gateway: { summary: 'Serve any model to other agents', load: () => import('./gateway.ts') },
  'mcp-server': { summary: 'Serve the agent to MCP clients', load: () => import('./mcp-server.ts') },
  mcp: { summary: 'List, add, remove and try MCP servers', load: () => import('./mcp.ts') },
  'apply-patch': { summary: 'Apply a patch to files', load: () => import('./apply-patch.ts') },
  sandbox: { summary: 'Run a command in the sandbox', load: () => import('./sandbox.ts') },
  trust: { summary: 'Accept the settings and rules of a project', load: () => import('./trust.ts') },
  execpolicy: { summary: 'Check a command against the rules', load: () => import('./execpolicy.ts') },
  providers: { summary: 'List the providers of models and their keys', load: () => import('./providers.ts') },
  models: { summary: 'List the models of a provider', load: () => import('./models.ts') },
  config: { summary: 'Show every setting and where it comes from', load: () => import('./config.ts') },
  probe: { summary: 'Learn how a model server behaves', load: () => import('./probe.ts') },
  doctor: { summary: 'Check what works on this machine', load: () => import('./doctor.ts') },
  demo: { summary: 'Show a turn without a key or network', load: () => import('./demo.ts') },
  completion: { summary: 'Print the completion script for a shell', load: () => import('./completion.ts') },
};
