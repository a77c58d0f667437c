import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reply, say } from '../../../../src/testing/index.ts';
import { scene } from '../../../harness/scene.ts';
import { scriptedConfig } from '../../../harness/scripted-config.ts';
import { startProgram } from '../../../harness/start-program.ts';
import { imagesOf, view } from './shown-images.ts';

const repository = join(import.meta.dirname, '../../../..');
let folder: string;

/** Copies the program into a folder without any packages. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxbow-bare-'));
  for (const name of ['bin', 'dist/program', 'package.json'])
    cpSync(join(repository, name), join(folder, name), { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('without sharp an image is sent as it is, or the model gets advice', async () => {
  const s = await scene([
    reply(...['large.png', 'longer.png', 'moving.gif', 'text.png'].map(view)),
    reply(say('done')),
  ]);
  const of = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
  const large = await of(3000, 100);
  s.workspace.write('large.png', large);
  s.workspace.write('longer.png', await of(9000, 10));
  const frames = [
    await of(4, 4),
    await sharp(await of(4, 4))
      .negate()
      .toBuffer(),
  ];
  s.workspace.write(
    'moving.gif',
    await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer(),
  );
  s.workspace.write('text.png', 'a text');
  s.workspace.configure(scriptedConfig(s.model.url));
  const { home, path } = s.workspace;
  const env = { PATH: process.env.PATH ?? '', HOME: home, OXBOW_HOME: home, SCRIPTED_KEY: 'x' };
  const program = await startProgram({ command: join(folder, 'bin/oxbow'), args: ['exec', 'go'], cwd: path, env });
  expect(await program.wait()).toMatchObject({ code: 0, stdout: 'done\n' });

  expect(imagesOf(s, 1)).toEqual([{ callId: 'large.png', detail: 'high', mime: 'image/png', bytes: large }]);
  const outputs = s.outputs(1);
  expect(outputs.get('longer.png')).toMatch(
    /^The image `longer\.png` cannot be shown: it has 9000 x 10 pixels, and 8000/,
  );
  expect(outputs.get('longer.png')).toContain('npm install sharp');
  expect(outputs.get('moving.gif')).toMatch(/^The image `moving\.gif` cannot be shown: it has several frames\. Make/);
  expect(outputs.get('text.png')).toBe('unable to process image: invalid or unsupported image data');
});
