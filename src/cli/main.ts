import { runtimeFault } from '../base/runtime-fault.ts';
import type { CommandTable } from './command.ts';
import { commands } from './commands/index.ts';
import { print } from './output.ts';

/**
 * Runs one command line and sets the exit code of the process: 0 for success, 1 for failure, 2 for wrong usage. Only
 * the table of commands is loaded at the start. A command loads its own modules.
 */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await dispatch(argv);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
      process.stderr.write('oxbow: The working folder was deleted. Change to one that exists and start again.\n');
      process.exitCode = 1;
      return;
    }
    // Mistakes of the user have an exit code. Any other error is a bug and shows its trace.
    if (!(error instanceof Error && 'exitCode' in error)) throw error;
    const { worded } = await import('./wording.ts');
    process.stderr.write(`oxbow: ${worded(error)}\n`);
    process.exitCode = Number(error.exitCode);
  }
}

async function dispatch(argv: readonly string[]): Promise<number> {
  const fault = runtimeFault(process.versions);
  if (fault !== undefined) {
    process.stderr.write(`oxbow: ${fault}\n`);
    return 1;
  }
  const [name, ...rest] = fromCodex(argv);
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (name === undefined)
    return isTerminal
      ? (await import('./interactive.ts')).interactive('new', [])
      : (await import('./welcome.ts')).welcome();
  if (name === '--version' || name === '-V') {
    print(rest.includes('--json') ? `${versionJson()}\n` : `oxbow ${OXBOW_VERSION}\n`);
    return 0;
  }
  if (name === '--help' || name === '-h' || name === 'help') {
    print(formatOverview(commands));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) {
    if (process.stderr.isTTY) (await import('./offer-codex-home.ts')).offerCodexHome(name, process.env);
    return (await command.load()).run(rest, commands);
  }
  const moved = name.startsWith('-') ? (await import('./command-first.ts')).commandFirst(argv) : undefined;
  if (moved !== undefined && Object.hasOwn(commands, commandName(moved[0]))) return dispatch(moved);
  if (isTerminal) return (await import('./interactive.ts')).interactive('new', argv, Object.keys(commands));
  const { unknownCommand } = await import('./unknown-command.ts');
  throw unknownCommand(moved ?? [name, ...rest], Object.keys(commands));
}

/** Returns a command line in the form of ours. Codex also accepts `e` for `exec`, and `help exec`. */
function fromCodex(argv: readonly string[]): readonly string[] {
  const [first = '', second] = argv;
  if (first === 'help' && second !== undefined) return [commandName(second), '--help'];
  return argv.length === 0 ? argv : [commandName(first), ...argv.slice(1)];
}

function commandName(word: string): string {
  return word === 'e' ? 'exec' : word;
}

/** Returns the text of `oxbow --help`. */
function formatOverview(commands: CommandTable): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: oxbow [options] [PROMPT]
       oxbow COMMAND [options]

A coding agent whose tool calls really run, whatever model serves them. Without a command it opens in the terminal.

Commands:
${rows.join('')}
Run oxbow COMMAND --help for more about a command; oxbow resume --help has the options of the terminal.
oxbow --version prints the version.

Example:
  oxbow "what does this project do?"
`;
}

function versionJson(): string {
  return JSON.stringify({ name: 'oxbow', version: OXBOW_VERSION, node: process.versions.node });
}
