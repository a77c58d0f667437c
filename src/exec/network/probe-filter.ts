import { execFile } from 'node:child_process';
import { createFilteredNetwork } from './filtered-network.ts';

const TIMEOUT_MS = 10_000;

/**
 * Tries a network that leads to some hosts only, with a bwrap that works. Returns the reason of a failure, or
 * undefined.
 */
export async function probeFilter(bubblewrap: string, userNamespace: boolean): Promise<string | undefined> {
  let note: string | undefined;
  const network = createFilteredNetwork({
    allowedDomains: ['localhost'],
    onNote(text) {
      note = text;
    },
  });
  const flags = ['--ro-bind', '/', '/', ...(userNamespace ? ['--unshare-user'] : []), '--unshare-net', '--'];
  try {
    const { argv } = await network.wrap({
      argv: [bubblewrap, ...flags, 'true'],
      commandAt: flags.length + 1,
      descriptors: [],
      env: {},
      supervises: false,
      end() {},
    });
    return note ?? (await run(argv));
  } finally {
    await network.close();
  }
}

function run([program = '', ...args]: readonly string[]): Promise<string | undefined> {
  const options = { timeout: TIMEOUT_MS, killSignal: 'SIGKILL', env: { PATH: '/usr/bin:/bin' }, cwd: '/' } as const;
  return new Promise((resolve) => {
    execFile(program, args, options, (error, _stdout, stderr) => {
      resolve(error ? stderr.trim().split('\n')[0] || error.message : undefined);
    });
  });
}
