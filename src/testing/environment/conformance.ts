import type { Environment } from '../../base/environment.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { type ConformanceCase, conformanceCases } from '../conformance-case.ts';
import { commandCases } from './command-cases.ts';
import { fileCases } from './file-cases.ts';
import { createEnvironmentScene } from './scene.ts';

/** An environment for one case. */
export interface EnvironmentUnderTest {
  readonly environment: Environment;
  /** An empty folder of the environment's machine, absolute and without links, that commands may write to. */
  readonly cwd: string;
  /** The policy of the commands; full access by default. */
  readonly policy?: SandboxPolicy;
  /** Whether commands can have a terminal of their own. */
  readonly terminals?: boolean;
  /** Called when the case is over and the environment closed. */
  close?(): void | Promise<void>;
}

/** Returns a case for each promise of `Environment`. The machine needs `/bin/sh` and the usual commands. */
export function environmentConformance(
  make: () => EnvironmentUnderTest | Promise<EnvironmentUnderTest>,
): readonly ConformanceCase[] {
  return conformanceCases({ ...commandCases, ...fileCases }, async (check) => {
    const subject = await make();
    try {
      await check(createEnvironmentScene(subject));
    } finally {
      await subject.environment.close();
      await subject.close?.();
    }
  });
}
