import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from './find-on-path.ts';

/** The bytes of an image, or a sentence that says why there are none. */
export type ClipboardContent =
  | { readonly type: 'image'; readonly bytes: Buffer }
  | { readonly type: 'none'; readonly why: string };

/** Facts that decide which program reads the clipboard. */
export interface ClipboardOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Default: five seconds. */
  readonly timeoutMs?: number;
}

/** A program that writes a picture to its output, and one that lists the types of the clipboard where there is a choice. */
interface ClipboardProgram {
  readonly name: string;
  readonly types?: readonly string[];
  image(type: string): readonly string[];
}

const WAYLAND: ClipboardProgram = {
  name: 'wl-paste',
  types: ['--list-types'],
  image: (type) => ['--no-newline', '--type', type],
};

const X11: ClipboardProgram = {
  name: 'xclip',
  types: ['-selection', 'clipboard', '-target', 'TARGETS', '-out'],
  image: (type) => ['-selection', 'clipboard', '-target', type, '-out'],
};

/** Prints the picture as «data PNGf89504E47…», which is read below. */
const MACOS: ClipboardProgram = { name: 'osascript', image: () => ['-e', 'the clipboard as «class PNGf»'] };

const WINDOWS: ClipboardProgram = {
  name: 'powershell.exe',
  image: () => [
    ...['-NoProfile', '-NonInteractive', '-STA', '-Command'],
    'Add-Type -AssemblyName System.Windows.Forms; Add-Type -AssemblyName System.Drawing; ' +
      '$i = [Windows.Forms.Clipboard]::GetImage(); if ($i -eq $null) { exit 1 }; ' +
      '$m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); ' +
      '[Console]::Out.Write([Convert]::ToBase64String($m.ToArray()))',
  ],
};

/** Types of images that models accept, best first. */
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

const TIMEOUT_MS = 5000;
const MOST_BYTES = 64 * 1024 * 1024;

const NO_IMAGE = 'There is no image in the clipboard.';

/** Reads the image in the clipboard of the system with the program that the system has for it. */
export async function readClipboard(options: ClipboardOptions): Promise<ClipboardContent> {
  const program = programFor(options);
  if (typeof program === 'string') return { type: 'none', why: program };
  const path = findOnPath(program.name, options.env.PATH);
  if (path === undefined) {
    const why = `The clipboard cannot be read without the program ${program.name}. Install it, or paste the path of the image.`;
    return { type: 'none', why };
  }
  const type = await typeOf(program, path, options);
  const output = type === undefined ? undefined : await outputOf([path, ...program.image(type)], options);
  if (output === 'too slow')
    return { type: 'none', why: `The program ${program.name} did not answer in time. Paste the path of the image.` };
  const bytes = output && decoded(program, output);
  return bytes && bytes.length > 0 ? { type: 'image', bytes } : { type: 'none', why: NO_IMAGE };
}

/**
 * Writes an image into a file that only the user can read, in a new folder below `folder`. Returns its path.
 */
export function keepImage(bytes: Uint8Array, extension: string, folder = tmpdir()): string {
  const path = join(mkdtempSync(join(folder, 'oxbow-image-')), `clipboard.${extension}`);
  writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Returns the program of this system, or why there is none. */
function programFor({ env, platform }: ClipboardOptions): ClipboardProgram | string {
  if (platform === 'darwin') return MACOS;
  if (platform === 'win32') return WINDOWS;
  if (env.WAYLAND_DISPLAY) return WAYLAND;
  if (env.DISPLAY) return X11;
  if (env.WSL_DISTRO_NAME) return WINDOWS;
  return env.SSH_CONNECTION
    ? 'The clipboard is on the machine that you connected from. Copy the image to this machine, and paste its path.'
    : 'This terminal has no clipboard with images. Paste the path of the image.';
}

async function typeOf(program: ClipboardProgram, path: string, options: ClipboardOptions): Promise<string | undefined> {
  if (program.types === undefined) return TYPES[0];
  const listed = await outputOf([path, ...program.types], options);
  if (listed === undefined || listed === 'too slow') return undefined;
  const offered = new Set(listed.toString('utf8').split(/\s+/));
  return TYPES.find((type) => offered.has(type));
}

function decoded(program: ClipboardProgram, output: Buffer): Buffer {
  if (program === MACOS) return Buffer.from(/«data PNGf([0-9A-F]*)»/i.exec(output.toString('utf8'))?.[1] ?? '', 'hex');
  return program === WINDOWS ? Buffer.from(output.toString('latin1').trim(), 'base64') : output;
}

/** Returns the output of a program that ended well, or undefined. */
function outputOf(argv: readonly string[], options: ClipboardOptions): Promise<Buffer | 'too slow' | undefined> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    const child: ChildProcess = spawn(program, args, { env: { ...options.env }, stdio: ['ignore', 'pipe', 'ignore'] });
    const parts: Buffer[] = [];
    let size = 0;
    const end = (result: Buffer | 'too slow' | undefined) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      child.stdout?.destroy();
      resolve(result);
    };
    const timer = setTimeout(() => end('too slow'), options.timeoutMs ?? TIMEOUT_MS);
    child.stdout?.on('data', (bytes: Buffer) => {
      parts.push(bytes);
      size += bytes.length;
      if (size > MOST_BYTES) end(undefined);
    });
    child.once('error', () => end(undefined));
    child.once('close', (code) => end(code === 0 ? Buffer.concat(parts) : undefined));
  });
}
