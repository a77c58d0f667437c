import { signOutOf } from '../../app/commands/mcp-servers.ts';
import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { loadHttpServer, SERVER_OPTIONS } from './load-servers.ts';

export const help = {
  usage: 'oxbow mcp logout NAME [options]',
  about: 'Forgets the tokens of a sign-in at an MCP server. The server is not asked.',
  options: SERVER_OPTIONS,
  example: 'oxbow mcp logout tracker',
};

/** Runs `oxbow mcp logout`. The exit code is 0 if there was no sign-in, as in Codex. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'mcp', name: 'logout', takes: ['NAME'], help }, argv);
  if (!read) return 0;
  const [name = ''] = read.words;
  const { config, server } = loadHttpServer(read.values, name);
  const wasThere = await signOutOf(config, server);
  print(wasThere ? `You are signed out of "${name}".\n` : `There was no sign-in at "${name}".\n`);
  return 0;
}
