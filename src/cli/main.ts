import { UserError } from '../base/errors.ts';
import { commands } from './commands/index.ts';
import { formatOverview } from './format-help.ts';
import { UsageError } from './parse-options.ts';

/** Runs one command line and sets the exit code of the process: 0 done, 1 failed, 2 wrong usage. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await dispatch(argv);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    process.stderr.write(`oxbow: ${error.message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch([name, ...rest]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(formatOverview(commands));
    return 0;
  }
  if (name === '--version' || name === '-V') {
    process.stdout.write(`oxbow ${OXBOW_VERSION}\n`);
    return 0;
  }
  const command = commands[name];
  if (!command) throw new UsageError(`There is no command "${name}". See oxbow --help.`);
  const { run } = await command.load();
  return run(rest);
}
