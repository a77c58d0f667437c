import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../base/errors.ts';

/** The text that an editor left, or what went wrong, as the rest of a sentence about the editor. */
export type EditorResult = { readonly text: string } | { readonly failure: string };

/**
 * Opens a text in an editor, as a file that only the user can read and that is removed afterwards. Editors choose colours
 * by its name.
 */
export async function editFile(
  editor: string,
  text: string,
  signal: AbortSignal,
  name = 'command.sh',
): Promise<EditorResult> {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-edit-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  // A second Ctrl-C ends the process without another chance to remove the file.
  process.once('exit', remove);
  try {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    const failure = await runEditor(editor, path, signal);
    return failure === undefined ? { text: readFileSync(path, 'utf8') } : { failure };
  } catch (error) {
    signal.throwIfAborted();
    return { failure: `failed: ${messageOf(error)}` };
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/**
 * Runs an editor on the controlling terminal to its end. Resolves with what went wrong, as the rest of a sentence. The
 * settings of the terminal are as before, also when the signal aborts, which rejects.
 */
async function runEditor(editor: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  const terminal = openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY);
  const stdio = [terminal, terminal, terminal];
  const settings = spawnSync('stty', ['-g'], { stdio: [terminal, 'pipe', 'ignore'], encoding: 'utf8' });
  // The variable may hold options, so a shell splits it, as git does.
  const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, path], { stdio });
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(`could not be started: ${messageOf(error)}`));
      child.once('exit', (code, by) => resolve(code === 0 ? undefined : `ended with ${by ?? `exit code ${code}`}`));
    });
  } finally {
    process.off('exit', end);
    signal.removeEventListener('abort', end);
    // An editor that was killed leaves the terminal in its own mode.
    const saved = settings.stdout?.trim();
    if (saved) spawnSync('stty', [saved], { stdio: [terminal, 'ignore', 'ignore'] });
    closeSync(terminal);
    signal.throwIfAborted();
  }
}
