import { createInterface } from 'node:readline';
import { signInTo } from '../../app/commands/mcp-servers.ts';
import { openBrowser } from '../../app/commands/open-browser.ts';
import { UserError } from '../../base/errors.ts';
import { printable } from '../../text/visible.ts';
import { print } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { parseVerb } from '../threads/parse-verb.ts';
import { interruptible } from './interruptible.ts';
import { loadHttpServer, SERVER_OPTIONS } from './load-servers.ts';

const options = {
  scopes: { type: 'string', value: 'SCOPE,SCOPE', help: 'Ask for these scopes' },
  'no-browser': { type: 'boolean', help: 'Only print the address; the one that it leads back to can be pasted' },
  ...SERVER_OPTIONS,
} as const;

export const help = {
  usage: 'oxbow mcp login NAME [options]',
  about: `Signs in at an MCP server: prints an address and opens it in the browser, if there is one. The tokens are kept in
.credentials.json of the home. On a machine without a browser, open the address elsewhere and paste the address that the
browser cannot reach in the end.`,
  options,
  example: 'oxbow mcp login tracker --scopes read,write',
};

/** Runs `oxbow mcp login`. */
export async function run(argv: readonly string[]): Promise<number> {
  const read = parseVerb({ command: 'mcp', name: 'login', takes: ['NAME'], help }, argv);
  if (!read) return 0;
  const [name = ''] = read.words;
  const { config, server } = loadHttpServer(read.values, name);
  if (server.bearerTokenEnvVar !== null)
    throw new UserError(
      'invalid_input',
      `The MCP server "${name}" gets its token from the variable ${server.bearerTokenEnvVar}, and needs no sign-in.`,
    );
  const scopes = scopesIn(read.values.scopes);
  const input = readAddresses();
  const show = (url: URL) => {
    print(printable(`To sign in at "${name}", open this address:\n\n${url.href}\n\n`));
    const isOpened = read.values['no-browser'] !== true && openBrowser(url, config.env, process.platform);
    print(
      isOpened
        ? 'It was opened in your browser. Waiting for you to sign in.\n'
        : 'Then, if the browser is on another machine, paste the address that it cannot reach in the end.\n',
    );
  };
  try {
    return await interruptible(async (signal) => {
      await signInTo(config, server, { ...(scopes && { scopes }), signal, show, typed: input.typed });
      print(`You are signed in at "${name}".\n`);
      return 0;
    });
  } finally {
    input.close();
  }
}

function scopesIn(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const scopes = text.split(',').map((scope) => scope.trim());
  if (scopes.every((scope) => /^[^\s"\\]+$/.test(scope))) return scopes;
  throw new UsageError(`--scopes takes names with commas between them, such as read,write, not "${text}".`);
}

/** Reads addresses from standard input, for a browser that cannot reach this machine. */
function readAddresses() {
  let lines: ReturnType<typeof createInterface> | undefined;
  return {
    /** Resolves with the parameters of the first address that belongs to the sign-in. */
    typed(url: URL): Promise<URLSearchParams> {
      const state = url.searchParams.get('state');
      const reader = createInterface({ input: process.stdin });
      lines = reader;
      return new Promise((resolve) => {
        reader.on('line', (line) => {
          const text = line.trim();
          const params = URL.canParse(text) ? new URL(text).searchParams : undefined;
          if (params !== undefined && params.get('state') === state) resolve(params);
          else if (text !== '')
            process.stderr.write('That is not the address that this sign-in leads back to. Paste all of it.\n');
        });
      });
    },
    close: () => lines?.close(),
  };
}
