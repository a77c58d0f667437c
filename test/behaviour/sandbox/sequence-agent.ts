// A program that runs random sequences of commands in a sandbox, and looks for changes outside. The tests build it and
// start it as root or as an ordinary user.
import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { messageOf } from '../../../src/base/errors.ts';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
import { createLocalEnvironment } from '../../../src/exec/environment/local-environment.ts';
import { createProbes, type SandboxProbes } from '../../../src/exec/sandbox/probes.ts';
import { OPERATIONS, type Sequence, sequences } from './sequences.ts';

/** The task of the agent, as JSON in its first argument. */
export interface SequenceJob {
  readonly sandbox: 'bubblewrap' | 'landlock' | 'none';
  /** How many sequences to run. */
  readonly count: number;
  /** A folder of the user, in which each sequence gets a folder of its own. */
  readonly folder: string;
}

/** The output of the agent, as JSON. */
export interface SequenceReport {
  /** The smallest sequence that changed something outside, with the changes. */
  readonly failure: string | null;
  /** How many sequences ran before the first that failed. */
  readonly passed: number;
}

/** Files of the user, below the base. Folders end with a slash. */
const FILES: readonly string[] = [
  ...['outside/file', 'outside/sub/file', 'outside/sub/deep/file', 'outside/empty/', 'outside/hidden/key'],
  ...['HOME/config.toml', 'HOME/rules/default.rules', 'HOME/sessions/'],
  ...['area/ws/a/b/secret', 'area/ws/a/plain', 'area/ws/sub/file', 'area/ws/nested/file'],
  ...['area/ws/.oxbow/rules/a.rules', 't/file', 't/inner/ws2/file'],
  ...['area/ws', 't/inner/ws2'].flatMap((root) =>
    ['HEAD', 'config', 'hooks/sample', 'info/exclude', 'objects/', 'refs/heads/', 'logs/'].map(
      (name) => `${root}/.git/${name}`,
    ),
  ),
];

const ROOTS = ['area/ws', 'area/ws/nested', 'area/ws/build', 't', 't/inner/ws2', 't/missing', 't/inner/ws2/missing'];
const HIDDEN = ['area/ws/a/b/secret', 'outside/hidden'];
/** Names without an entry in the beginning that no command may make. */
const ABSENT = ['area/ws/.codex', 'area/ws/.agents', 'area/ws/nested/.git', 't/.git', 't/.oxbow', 't/inner/ws2/.codex'];

const PATH = '/usr/local/bin:/usr/bin:/bin';
const never = new AbortController().signal;
const job: SequenceJob = JSON.parse(process.argv[2] ?? '{}');
const probes = rememberedProbes();
let passed = 0;
let failed = false;

const result = await fc.check(
  fc.asyncProperty(sequences, async (sequence) => {
    const base = mkdtempSync(join(job.folder, 's-'));
    try {
      const changes = await run(base, sequence);
      if (changes.length > 0) throw new Error(changes.join('\n'));
      if (!failed) passed += 1;
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  }),
  { numRuns: job.count, interruptAfterTimeLimit: 300_000 },
);
const failure = result.failed ? `${JSON.stringify(result.counterexample)}\n${messageOf(result.errorInstance)}` : null;
process.stdout.write(`${JSON.stringify({ failure, passed } satisfies SequenceReport)}\n`, () => process.exit(0));

/** Asks the machine once, and not again for the folders of each sequence. */
function rememberedProbes(): Partial<SandboxProbes> {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  const real = createProbes(arch, process.geteuid?.() === 0, never);
  const answers = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    if (!answers.has(key)) answers.set(key, ask());
    return answers.get(key) as Promise<T>;
  };
  return {
    bubblewrap: (variant) =>
      job.sandbox === 'landlock'
        ? Promise.resolve('kept from the test')
        : once(JSON.stringify(variant), () => real.bubblewrap(variant)),
    landlockVersion: (perl) => once(perl, () => real.landlockVersion(perl)),
    landlock: (perl, version) => once(`${perl} ${version}`, () => real.landlock(perl, version)),
  };
}

/** Runs the commands of a sequence in one environment. Returns everything that went wrong. */
async function run(base: string, { commands, home }: Sequence): Promise<string[]> {
  const at = (name: string) => join(base, name);
  const secret = randomUUID();
  for (const file of FILES) make(at(file.replace('HOME', home)), secret);
  symlinkSync('file', at('outside/link'));
  const policy: SandboxPolicy = {
    mode: job.sandbox === 'none' ? 'danger-full-access' : 'workspace-write',
    writableRoots: ROOTS.map(at),
    network: false,
    denyRead: HIDDEN.map(at),
  };
  const before = inventory(base, home);
  const notes: string[] = [];
  const environment = environmentOf(base, home, (note) => notes.push(note));
  let output = '';
  try {
    for (const { operations, repeats } of commands)
      output += await runCommand(environment, policy, base, operations, repeats);
  } finally {
    await environment.close();
  }
  const after = inventory(base, home);
  return [
    ...differences(before.outside, after.outside),
    // Under Landlock a command can delete a repository, or move it with its folder. The user gets a note, and no further
    // command runs.
    ...(notes.some((note) => note.includes('could not be put back')) ? [] : differences(before.guarded, after.guarded)),
    ...(output.includes(secret) ? ['a command printed a hidden file'] : []),
  ];
}

function make(path: string, secret: string): void {
  mkdirSync(path.endsWith('/') ? path : dirname(path), { recursive: true });
  if (path.endsWith('/')) return;
  writeFileSync(path, /secret|key/.test(path) ? secret : `original ${path}\n`);
}

function environmentOf(base: string, home: string, onNote: (note: string) => void) {
  return createLocalEnvironment({
    shell: '/bin/sh',
    // Oxbow names pipes in this folder.
    baseEnv: { PATH, TMPDIR: join(base, 't'), HOME: join(base, home) },
    environmentPolicy: { inherit: 'all', ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] },
    threadId: 'thread',
    version: '0',
    world: {
      now: () => performance.now(),
      monotonic: () => performance.now(),
      uuid: () => randomUUID(),
      random: () => Math.random(),
      sleep: async () => {},
    },
    cwd: join(base, 'area/ws'),
    home: join(base, home),
    onNote,
    probes,
  });
}

async function runCommand(
  environment: ReturnType<typeof environmentOf>,
  policy: SandboxPolicy,
  base: string,
  operations: readonly string[],
  repeats: boolean,
): Promise<string> {
  const argv = ['perl', '-e', OPERATIONS, '--', base, repeats ? '1' : '', ...operations];
  try {
    const terminal = await environment.open(
      { kind: 'command', argv, cwd: '/', login: false, escalate: false, yieldMs: 0 },
      { callId: 'call', policy, sandboxed: true, onOutput() {}, onExit() {} },
    );
    const { text } = await terminal.collect(repeats ? 30 : 20_000, never);
    return text;
  } catch (error) {
    // Oxbow may refuse a command after what an earlier one did.
    return messageOf(error);
  }
}

type Entries = ReadonlyMap<string, string>;

/** Returns everything that commands may not change: what lies outside, and protected names in the roots. */
function inventory(base: string, home: string): { readonly outside: Entries; readonly guarded: Entries } {
  const outside = new Map<string, string>();
  const guarded = new Map<string, string>();
  // Oxbow itself may have files in its home.
  const ours = ['config.toml', 'rules', 'new'].map((name) => `${home}/${name}`);
  for (const path of ['outside', ...ours]) list(base, path, outside);
  for (const folder of ['area', '.']) outside.set(folder, readdirSync(join(base, folder)).toSorted().join(' '));
  for (const root of ['area/ws', 't/inner/ws2']) {
    for (const name of ['config', 'hooks', 'info']) list(base, `${root}/.git/${name}`, guarded);
  }
  for (const path of ['area/ws/.oxbow', ...ABSENT]) list(base, path, guarded);
  return { outside, guarded };
}

function list(base: string, path: string, entries: Map<string, string>): void {
  const whole = join(base, path);
  const stat = statOf(whole);
  if (stat === undefined) return;
  // Under Landlock commands can change modes.
  const mode = job.sandbox === 'landlock' ? '' : `${stat.mode.toString(8)} `;
  const content = stat.isFile()
    ? readFileSync(whole, 'utf8')
    : stat.isSymbolicLink()
      ? `-> ${readlinkSync(whole)}`
      : '';
  const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other';
  entries.set(path, `${mode}${kind} ${content}`);
  if (stat.isDirectory()) for (const name of readdirSync(whole)) list(base, `${path}/${name}`, entries);
}

function statOf(path: string) {
  try {
    return lstatSync(path);
  } catch {
    // Nothing is there, or a file instead of a folder above it.
    return undefined;
  }
}

function differences(before: Entries, after: Entries): string[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: was ${before.get(path) ?? 'absent'}, is ${after.get(path) ?? 'absent'}`);
}
