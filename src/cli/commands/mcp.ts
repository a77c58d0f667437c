import { verbs } from '../mcp/index.ts';
import { runVerb } from '../run-verb.ts';

export { verbs };

const names = Object.keys(verbs);
const width = Math.max(...names.map((name) => name.length));

export const help = {
  usage: `oxbow mcp ${names.join('|')} [options] …`,
  about: `Manages the MCP servers whose tools the agent uses. They stand in config.toml of the home, in the form of Codex. Run
oxbow mcp VERB --help for more about a verb.`,
  options: { help: { type: 'boolean', short: 'h', help: 'Show this text' } },
  example: 'oxbow mcp add docs -- npx -y docs-server',
  more: { Verbs: Object.entries(verbs).map(([name, { summary }]) => `${name.padEnd(width)}  ${summary}`) },
} as const;

/** Runs `oxbow mcp`, which manages MCP servers. */
export function run(argv: readonly string[]): Promise<number> {
  return runVerb('mcp', help, verbs, argv);
}
