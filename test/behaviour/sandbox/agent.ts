// A program that runs commands in a sandbox. The tests build it and start it as root or as an ordinary user.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Terminal } from '../../../src/base/environment.ts';
import type { SandboxPolicy } from '../../../src/base/policy.ts';
import {
  createLocalEnvironment,
  type LocalEnvironment,
  type LocalEnvironmentOptions,
} from '../../../src/exec/environment/local-environment.ts';
import { closeInheritedDescriptors } from '../../../src/exec/process/close-inherited-descriptors.ts';
import type { BubblewrapVariant } from '../../../src/exec/sandbox/probes.ts';

/** The task of the agent, as JSON in its first argument. */
export interface Job {
  readonly policy: SandboxPolicy;
  /** The sandbox to use. */
  readonly sandbox: 'bubblewrap' | 'landlock';
  /** The highest version of Landlock to use. */
  readonly landlockVersion?: number;
  /** Features that bubblewrap must do without. */
  readonly without?: readonly ('proc' | 'user')[];
  readonly cwd: string;
  /** Oxbow's home. */
  readonly home?: string;
  readonly argv: readonly string[];
  /** Further commands in the same thread, one after another. */
  readonly later?: readonly (readonly string[])[];
  /** Variables of the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The end of the command after it has printed `ready`. By default the agent waits for it. */
  readonly ending?: 'kill' | 'close' | 'exit' | 'wait';
  /** Whether the command gets a terminal. */
  readonly tty?: true;
  /** Whether the command asked to leave the sandbox and may. */
  readonly escalated?: boolean;
  /** A command that runs in the background, in an environment of its own. It has to print `ready`. */
  readonly background?: readonly string[];
  /** Number of environments that run the command, one after the other. The report has their texts in a row. */
  readonly times?: number;
  /** Whether the program closes inherited descriptors, as `oxbow` does and other programs with the library do not. */
  readonly closesInherited?: boolean;
}

/** The output of the agent, as JSON. */
export interface Report {
  readonly text: string;
  readonly exitCode: number | null;
  /** Output of each command, or why it was not run. */
  readonly outputs?: readonly string[];
  readonly notes: readonly string[];
}

const job: Job = JSON.parse(process.argv[2] ?? '{}');
if (job.closesInherited) closeInheritedDescriptors();
const notes: string[] = [];
const { landlockVersion } = job;
const never = new AbortController().signal;

const options: LocalEnvironmentOptions = {
  shell: '/bin/bash',
  // For attacks on this very process.
  baseEnv: {
    ...job.env,
    AGENT: String(process.pid),
    AGENT_ADDRESS: readFileSync('/proc/self/maps', 'utf8').slice(0, 12),
  },
  environmentPolicy: { inherit: 'all', ignoreDefaultExcludes: true, exclude: [], set: {}, includeOnly: [] },
  threadId: 'thread',
  ...(job.home === undefined ? {} : { home: job.home }),
  version: '0',
  world: {
    now: () => performance.now(),
    monotonic: () => performance.now(),
    uuid: () => randomUUID(),
    random: () => Math.random(),
    sleep: async () => {},
  },
  onNote: (note) => notes.push(note),
  ...(landlockVersion === undefined ? {} : { probes: { landlockVersion: async () => landlockVersion } }),
  ...(job.without === undefined ? {} : { probes: { bubblewrap: refuse } }),
};

async function refuse({ mountProc, userNamespace }: BubblewrapVariant): Promise<string | undefined> {
  if (userNamespace && job.without?.includes('user')) return 'Creating new namespace failed';
  return mountProc && job.without?.includes('proc') ? "Can't mount proc" : undefined;
}

function open(environment: LocalEnvironment, argv: readonly string[]) {
  const tty = job.tty ? { tty: true as const } : {};
  const policy = { ...job.policy, backend: job.sandbox };
  return environment.open(
    { kind: 'command', argv, cwd: job.cwd, login: false, escalate: false, yieldMs: 0, ...tty },
    { callId: 'call', policy, sandboxed: job.escalated !== true, onOutput() {}, onExit() {} },
  );
}

async function ready(terminal: Terminal): Promise<string> {
  let text = '';
  while (!text.includes('ready')) text += (await terminal.collect(20, never)).text;
  return text;
}

/** Runs the command in as many environments as the job says, one after the other. */
async function runToEnd(): Promise<Report> {
  const behind = job.background && createLocalEnvironment(options);
  if (behind) await ready(await open(behind, job.background ?? []));
  let text = '';
  let exitCode: number | null = null;
  for (let time = 0; time < (job.times ?? 1); time++) {
    const environment = createLocalEnvironment(options);
    const collected = await (await open(environment, job.argv)).collect(60_000, never);
    text += collected.text;
    exitCode = collected.exitCode;
    await environment.close();
  }
  await behind?.close();
  return { text, exitCode, notes };
}

async function runUntilReady(): Promise<Report> {
  const environment = createLocalEnvironment(options);
  const terminal = await open(environment, job.argv);
  const text = await ready(terminal);
  if (job.ending === 'wait') {
    process.stdout.write(`${JSON.stringify({ text, exitCode: null, notes })}\n`);
    await delay(600_000);
  }
  if (job.ending === 'kill') await terminal.kill();
  if (job.ending === 'close') await environment.close();
  if (job.ending === 'exit') environment.closeSync();
  return { text, exitCode: null, notes };
}

/** Runs the commands of one thread, one after the other. */
async function runAll(commands: readonly (readonly string[])[]): Promise<Report> {
  const environment = createLocalEnvironment(options);
  const outputs: string[] = [];
  for (const argv of commands) outputs.push(await outputOf(environment, argv));
  await environment.close();
  return { text: outputs.join(''), exitCode: null, outputs, notes };
}

async function outputOf(environment: LocalEnvironment, argv: readonly string[]): Promise<string> {
  try {
    return (await (await open(environment, argv)).collect(60_000, never)).text;
  } catch (error) {
    return String(error);
  }
}

if (job.later !== undefined) finish(await runAll([job.argv, ...job.later]));
else finish(await (job.ending === undefined ? runToEnd() : runUntilReady()));

function finish(report: Report): void {
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
}
