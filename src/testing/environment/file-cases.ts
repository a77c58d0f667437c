import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { ConformanceChecks } from '../conformance-case.ts';
import { type EnvironmentScene, refused } from './scene.ts';

const UNCONFINED = { sandboxed: false };

/** Promises about files. */
export const fileCases: ConformanceChecks<EnvironmentScene> = {
  async 'a path leads somewhere absolute, without links'({ files, run, at }) {
    await run('mkdir real && ln -s real link && echo x > real/file');
    strictEqual(await files.locate(at('link/file')), at('real/file'));
    strictEqual(await files.locate(at('real/new')), at('real/new'));
  },

  async 'a file is read as it is, to the byte'({ files, run, at }) {
    await run("printf 'a\\000b\\377\\n' > file");
    deepStrictEqual([...(await files.read(at('file')))], [0x61, 0, 0x62, 0xff, 0x0a]);
    const error: unknown = await files.read(at('missing')).catch((thrown: unknown) => thrown);
    strictEqual((error as { code?: unknown }).code, 'ENOENT');
  },

  async 'files are added, changed, moved and deleted at once'({ files, run, at }) {
    await run('printf 1 > changed; printf 2 > moved; printf 3 > deleted');
    await files.change(
      [
        { path: at('sub/added'), before: null, after: 'new\n' },
        { path: at('changed'), before: '1', after: 'ä€\n' },
        { path: at('moved'), to: at('sub/target'), before: '2', after: '2b' },
        { path: at('deleted'), before: '3', after: null },
      ],
      UNCONFINED,
    );
    const { text } = await run('for f in sub/added changed sub/target; do cat $f; done; ls moved deleted 2>/dev/null');
    strictEqual(text, 'new\nä€\n2b');
  },

  async 'nothing is changed when a file is not what the change expects'({ files, run, at }) {
    await run('printf 1 > a; printf other > second');
    const changes = [
      { path: at('a'), before: '1', after: 'changed' },
      { path: at('c'), before: null, after: 'added' },
      { path: at('second'), before: '2', after: 'changed' },
    ];
    const { message } = await refused(files.change(changes, UNCONFINED), 'a change of another text');
    ok(message.includes('second'), 'the failure names the file');
    strictEqual((await run('cat a second; ls c 2>/dev/null')).text, '1other');
    await refused(
      files.change([{ path: at('a'), before: null, after: 'x' }], UNCONFINED),
      'adding a file that is there',
    );
    strictEqual((await run('cat a')).text, '1');
  },

  async 'a file that no one committed is not in git'({ files, run, at }) {
    await run('echo x > file');
    strictEqual(await files.isInGit(at('file')), false);
    strictEqual(await files.isInGit(at('missing')), false);
  },
};
