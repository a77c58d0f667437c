import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { imageLabel, readClipboardImage } from './clipboard-image.ts';

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxbow-clipboard-'));
  writeFileSync(join(folder, 'picture.png'), PNG);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a program of the system into the folder, in which all programs are looked for. */
function install(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\ncd "${folder}"\n${script}\n`, { mode: 0o755 });
}

const read = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
  readClipboardImage({ PATH: `${folder}:/usr/bin:/bin`, ...env }, { folder, platform });

const CHOICE =
  'case "$*" in *TARGETS*|*list-types*) printf "text/plain\\nimage/png\\n";; *image/png*) cat picture.png;; esac';

test.each<[string, NodeJS.Platform, Record<string, string>, string]>([
  ['wl-paste', 'linux', { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' }, CHOICE],
  ['xclip', 'linux', { DISPLAY: ':0' }, CHOICE],
  ['osascript', 'darwin', {}, `printf '«data PNGf${PNG.toString('hex').toUpperCase()}»\\n'`],
  ['powershell.exe', 'win32', {}, 'base64 -w0 picture.png'],
  ['powershell.exe', 'linux', { WSL_DISTRO_NAME: 'Debian' }, 'base64 -w0 picture.png'],
])('%s on %s', async (name, platform, env, script) => {
  install(name, script);
  const image = await read(env, platform);
  if (image.type === 'none') throw new Error(image.why);
  expect(image.label).toBe('1×1');
  expect(readFileSync(image.path)).toEqual(PNG);
  expect(statSync(image.path).mode & 0o777).toBe(0o600);
  expect(image.path).toMatch(/\.png$/);
});

test.each<[string, Record<string, string>, string, RegExp]>([
  ['no image', { DISPLAY: ':0' }, 'echo text/plain', /^There is no image in the clipboard\.$/],
  ['a failure', { DISPLAY: ':0' }, 'exit 1', /^There is no image in the clipboard\.$/],
  ['rubbish', { DISPLAY: ':0' }, 'echo image/png', /^The clipboard has no image that can be read\.$/],
  ['no screen', {}, '', /^This terminal has no clipboard with images\. Paste the path of the image\.$/],
  ['another machine', { SSH_CONNECTION: 'a' }, '', /^The clipboard is on the machine that you connected from\./],
])('%s', async (_, env, script, why) => {
  install('xclip', script);
  expect(await read(env)).toEqual({ type: 'none', why: expect.stringMatching(why) });
});

test('the program is missing', async () => {
  const image = await readClipboardImage({ PATH: folder, DISPLAY: ':0' }, { folder, platform: 'linux' });
  expect(image).toEqual({ type: 'none', why: expect.stringMatching(/without the program xclip\. Install it/) });
});

test('the size of an image file', () => {
  expect(imageLabel(PNG)).toBe('1×1');
  expect(imageLabel(Buffer.from('text'))).toBeUndefined();
});
