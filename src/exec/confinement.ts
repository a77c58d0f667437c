import type { SandboxPolicy } from '../base/policy.ts';
import { bubblewrapArgv } from './sandbox/bubblewrap.ts';
import { type FoundSandbox, findSandbox, sandboxMissing } from './sandbox/find-sandbox.ts';
import { findWritablePaths } from './sandbox/writable-paths.ts';

/** Keeps commands inside a policy, or keeps them from running. */
export interface Confinement {
  /** False where the policy allows everything. */
  readonly applies: boolean;
  /** Looks for the sandbox in advance. */
  prepare(): void;
  /** The command as it must be started. Throws `ToolFailure` when nothing here could confine it. */
  wrap(argv: readonly string[], cwd: string): Promise<readonly string[]>;
}

export interface ConfinementOptions {
  readonly policy: SandboxPolicy;
  readonly bubblewrap: string;
  readonly path: string;
  readonly untrustedFolders: readonly string[];
  readonly signal: AbortSignal;
  onNote(note: string): void;
}

export function createConfinement(options: ConfinementOptions): Confinement {
  const { policy } = options;
  const told = new Set<string>();
  let found: Promise<FoundSandbox> | undefined;

  function sandbox(): Promise<FoundSandbox> {
    found ??= findSandbox({ ...options, systemProgram: options.bubblewrap });
    return found;
  }

  function tell(note: string): void {
    if (told.has(note)) return;
    told.add(note);
    options.onNote(note);
  }

  return {
    applies: policy.mode !== 'danger-full-access',
    prepare() {
      void sandbox();
    },
    async wrap(argv, cwd) {
      const facts = await sandbox();
      if (facts.type === 'none') throw sandboxMissing(facts.why, policy.mode);
      const paths = findWritablePaths(policy.mode === 'workspace-write' ? policy.writableRoots : []);
      paths.notes.forEach(tell);
      return [...bubblewrapArgv(policy, cwd, { ...facts, ...paths }), ...argv];
    },
  };
}
