import { isUtf8 } from 'node:buffer';
import { readFileSync, readSync } from 'node:fs';
import { applyPatch } from '../../app/commands/apply-patch.ts';
import { messageOf } from '../../base/errors.ts';
import { type CommandHelp, formatHelp } from '../format-help.ts';
import { print } from '../output.ts';

const options = { help: { type: 'boolean', short: 'h', help: 'Show this text' } } as const;

export const help: CommandHelp = {
  usage: 'oxbow apply-patch [PATCH]',
  about: `Applies a patch, passed as the argument or on standard input, to the files of this folder. The patch may be in the
format of the apply_patch tool or a unified diff. Files are changed one after the other, and changes made before a
failure stay. Commands of the agent can run it as apply_patch.`,
  options,
  example: `printf '*** Begin Patch\\n*** Add File: hello.txt\\n+Hello\\n*** End Patch\\n' | oxbow apply-patch`,
  more: {
    'Exit codes': ['0  all files were changed', '1  the patch cannot be read or does not fit', '2  wrong usage'],
  },
};

/** Runs `oxbow apply-patch`, which has the texts and exit codes of Codex's `apply_patch` command. */
export async function run(argv: readonly string[]): Promise<number> {
  const [argument, ...more] = argv;
  if (more.length > 0) return fail(2, 'Error: apply_patch accepts exactly one argument.');
  // Options are not parsed, because a diff may begin with dashes too.
  if (argument === '--help' || argument === '-h') {
    print(formatHelp(help));
    return 0;
  }
  const patch = argument === undefined ? readPiped() : readArgument(argument);
  if (typeof patch !== 'string') return fail(patch.exitCode, patch.fault);
  const { success, text } = applyPatch(patch, process.cwd());
  if (!success) return fail(1, text);
  print(`${text}\n`);
  return 0;
}

function fail(exitCode: number, text: string): number {
  process.stderr.write(`${text}\n`);
  return exitCode;
}

interface Unreadable {
  readonly exitCode: number;
  readonly fault: string;
}

/**
 * Returns the argument, unless it is not UTF-8. Node replaces invalid bytes by a replacement character, which would end
 * up in files.
 */
function readArgument(argument: string): string | Unreadable {
  if (!argument.includes('\uFFFD') || isUtf8(commandLine())) return argument;
  return { exitCode: 1, fault: 'Error: apply_patch requires a UTF-8 PATCH argument.' };
}

function commandLine(): Buffer {
  try {
    return readFileSync('/proc/self/cmdline');
  } catch {
    return Buffer.alloc(0);
  }
}

function readPiped(): string | Unreadable {
  try {
    const bytes = readToEnd(0);
    if (bytes.length === 0)
      return { exitCode: 2, fault: "Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch" };
    return isUtf8(bytes) ? bytes.toString('utf8') : notRead('stream did not contain valid UTF-8');
  } catch (error) {
    return notRead(messageOf(error));
  }
}

function notRead(reason: string): Unreadable {
  return { exitCode: 1, fault: `Error: Failed to read PATCH from stdin.\n${reason}` };
}

const PIECE = 64 * 1024;
const PAUSE_MS = 5;

/** Reads to the end without a stream, which would cost more than the rest of the command. */
function readToEnd(descriptor: number): Buffer {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE);
    const count = readSome(descriptor, piece);
    if (count === 0) return Buffer.concat(pieces);
    if (count !== undefined) pieces.push(piece.subarray(0, count));
    // Another process made the shared pipe non-blocking, so we wait ourselves.
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** Returns undefined when there is nothing to read yet. */
function readSome(descriptor: number, piece: Buffer): number | undefined {
  try {
    return readSync(descriptor, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
