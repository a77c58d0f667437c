/** One promise of an interface, for any test framework: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects when the promise is not kept. */
  run(): Promise<void>;
}

/** Checks by the names of the promises that they test. */
export type ConformanceChecks<Scene> = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

/** Returns a case for each check. Every case has a scene of its own. */
export function conformanceCases<Scene>(
  checks: ConformanceChecks<Scene>,
  within: (check: (scene: Scene) => Promise<void>) => Promise<void>,
): readonly ConformanceCase[] {
  return Object.entries(checks).map(([name, check]) => ({ name, run: () => within(check) }));
}
