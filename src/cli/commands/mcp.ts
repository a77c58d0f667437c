import { formatHelp } from '../format-help.ts';
import { verbs } from '../mcp/index.ts';
import { print } from '../output.ts';
import { didYouMean, parseOptions, UsageError } from '../parse-options.ts';

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
export async function run(argv: readonly string[]): Promise<number> {
  const [name = '--help', ...words] = argv;
  if (name.startsWith('-')) {
    parseOptions('mcp', help.options, argv);
    print(formatHelp(help));
    return argv.length === 0 ? 2 : 0;
  }
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb) throw new UsageError(`oxbow mcp has no verb "${name}".${didYouMean(name, names)} See oxbow mcp --help.`);
  return (await verb.load()).run(words, verbs);
}
