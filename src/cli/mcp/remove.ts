import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { explainConfig } from '../../config/explain-config.ts';
import { findHome } from '../../config/home.ts';
import { removeTable } from '../../config/set-table.ts';
import { keyText } from '../../config/setting/key-text.ts';
import { attempt } from '../attempt.ts';
import { print } from '../output.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { ORIGINS } from '../wording.ts';

const options = { help: { type: 'boolean', short: 'h', help: 'Show this text' } } as const;

export const help = {
  usage: 'oxbow mcp remove NAME',
  about: `Removes an MCP server from config.toml of the home, and keeps everything else there. A sign-in at the server stays:
oxbow mcp logout NAME forgets it, and has to come first.`,
  options,
  example: 'oxbow mcp remove docs',
};

/** Runs `oxbow mcp remove`. The exit code is 0 if there is no such server, as in Codex. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'mcp', name: 'remove', takes: ['NAME'], help }, argv);
  if (!read) return 0;
  const [name = ''] = read.words;
  const file = join(findHome(process.env), 'config.toml');
  const isFound = removeTable(file, ['mcp_servers', name]);
  const origin = originOf(name);
  if (origin !== undefined)
    throw new UserError(
      'invalid_config',
      `The MCP server "${name}" ${isFound ? 'also stands' : 'does not stand in your config.toml, but'} in ${origin}. Remove it there.`,
    );
  print(isFound ? `The MCP server "${name}" was removed from ${file}.\n` : `There is no MCP server "${name}".\n`);
  return 0;
}

/** Returns a place that still has the server: a profile, or the file for all users. */
function originOf(name: string): string | undefined {
  const prefix = `${keyText(['mcp_servers', name])}.`;
  const found = attempt(() => explainConfig({ origins: ORIGINS }).settings.find(({ key }) => key.startsWith(prefix)));
  return found.ok ? found.value?.origin : undefined;
}
