import type { Environment } from '../../base/environment.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { type ConformanceCase, conformanceCases } from '../conformance-case.ts';
import { commandCases } from './command-cases.ts';
import { fileCases } from './file-cases.ts';
import { createEnvironmentScene } from './scene.ts';

/** An environment for one case. */
export interface EnvironmentUnderTest {
  readonly environment: Environment;
  /** Empty folder on the environment's machine, absolute and without links. Commands may write to it. */
  readonly cwd: string;
  /** Policy of the commands. The default is full access. */
  readonly policy?: SandboxPolicy;
  /** Whether commands can have a terminal of their own. */
  readonly terminals?: boolean;
  /** Called after the case, when the environment is closed. */
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
