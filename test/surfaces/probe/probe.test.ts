import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkspace } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { sampled } from '../../harness/runs.ts';
import { PLANTED } from './planted.ts';
import { MODEL, startQuirky } from './quirky-server.ts';

function newWorkspace() {
  const workspace = createWorkspace({});
  onTestFinished(() => workspace.dispose());
  return workspace;
}

interface Printed {
  readonly quirks: readonly string[];
  readonly findings: readonly { readonly what: string; readonly handling: string }[];
  readonly checks: readonly { readonly id: string; readonly status: string; readonly says: string }[];
  readonly entry: { readonly compat?: Readonly<Record<string, unknown>> };
  readonly requests: number;
}

/** Quirks whose entry an agent uses. */
const WORKED_WITH = sampled(Object.keys(PLANTED), 12);

describe('oxbow probe finds what was planted, and the agent works with the entry', () => {
  it.each(Object.entries(PLANTED))('%s', async (name, planted) => {
    const { quirks, compat = {}, says } = planted;
    const workspace = newWorkspace();
    const server = await startQuirky(planted);
    const probed = await runOxbow(['probe', server.url, '--json', '--write', 'quirky'], { workspace });
    expect({ code: probed.code, stderr: probed.stderr }).toMatchObject({ code: 0 });
    const printed = JSON.parse(probed.stdout) as Printed;
    expect(printed.quirks.toSorted()).toEqual([...quirks].toSorted());
    expect(printed.entry.compat ?? {}).toMatchObject(compat);
    if (says !== undefined) expect(printed.findings.map(({ what }) => what).join('\n')).toContain(says);
    if (!WORKED_WITH.includes(name)) return;
    const ran = await runOxbow(
      [
        'exec',
        '--skip-git-repo-check',
        '-c',
        'model_provider=quirky',
        '-m',
        MODEL,
        '-s',
        'danger-full-access',
        'run it',
      ],
      { workspace },
    );
    expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
    const file = join(workspace.path, 'probed.txt');
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('probed & done\n');
  });
});
