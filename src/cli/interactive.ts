import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findHome } from '../config/home.ts';
import { formatHelp } from './format-help.ts';
import { interactiveHelps } from './interactive/options.ts';
import { type InteractiveLine, readLine } from './interactive/read-line.ts';
import { print } from './output.ts';
import { UsageError } from './parse-options.ts';
import { colorDepth } from './print/style.ts';

export { interactiveHelps } from './interactive/options.ts';

/**
 * Runs the interactive terminal. The first frame takes keys before the agent is loaded, so that the start of the program
 * is not waited for.
 */
export async function interactive(
  command: 'new' | 'resume' | 'fork',
  argv: readonly string[],
  commands: readonly string[] = [],
): Promise<number> {
  const line = readLine(command, argv);
  // Loaded only for a mistake: the first frame needs little code.
  if (line.isWord) throw (await import('./unknown-command.ts')).unknownCommand([line.prompt], commands);
  if (line.values.help) {
    print(formatHelp(interactiveHelps[command]));
    return 0;
  }
  if (line.values.version) {
    print(`oxbow ${OXBOW_VERSION}\n`);
    return 0;
  }
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError('This needs a terminal, and there is none. In a pipe or a script use oxbow exec.');
  const { env } = process;
  const isPlain = line.values.plain || Boolean(env.ACCESSIBLE) || env.TERM === 'dumb' || env.TERM === undefined;
  const terminal = isPlain || (await isPlainByConfig(line)) ? null : await openScreen(line);
  const { runInteractive } = await import('./interactive/run-interactive.ts');
  return runInteractive(line, terminal);
}

/** Reports whether config.toml asks for plain mode. The first frame does not wait for this unless the file has the word. */
async function isPlainByConfig(line: InteractiveLine): Promise<boolean> {
  const { config = [], profile } = line.values;
  const home = findHome(process.env);
  const files = ['config.toml', ...(profile === undefined ? [] : [`${profile}.config.toml`])];
  const texts = [...config, ...files.map((name) => textOf(join(home, name)))];
  if (!texts.some((text) => text.includes('plain'))) return false;
  const { isPlainConfigured } = await import('./interactive/run-interactive.ts');
  return isPlainConfigured(line);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Reading the configuration reports it.
    return '';
  }
}

async function openScreen({ prompt, values }: InteractiveLine) {
  const { env } = process;
  const { openTerminalDevice } = await import('./interactive/open-terminal-device.ts');
  const { openTerminal, UNDO_AFTER_DEATH } = await import('../tui/open-terminal.ts');
  const isLate = Boolean(env.TMUX || env.SSH_CONNECTION);
  const look = { depth: colorDepth(env), program: env.TERM_PROGRAM, isLate };
  const terminal = openTerminal(openTerminalDevice(UNDO_AFTER_DEATH), look);
  // Keys come before the rest of the program is loaded, but a prompt is sent first: keys need a process that watches.
  const isPrompted = prompt !== '' || values.image !== undefined;
  if (!isPrompted) await terminal.takeKeys();
  return terminal;
}
