import { catalogueCases } from './catalogue-cases.ts';
import { logCases } from './log-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { createStoreScene, type StoreUnderTest } from './scene.ts';

export type { StoreUnderTest } from './scene.ts';

/** One promise of `ThreadStore`. */
export interface StoreCase {
  readonly name: string;
  /** Rejects when the store does not keep the promise. */
  run(): Promise<void>;
}

/**
 * Returns a case for each promise of `ThreadStore`, for any test framework:
 * `for (const { name, run } of storeConformance(makeStore)) test(name, run)`.
 */
export function storeConformance(make: () => StoreUnderTest | Promise<StoreUnderTest>): readonly StoreCase[] {
  return Object.entries({ ...logCases, ...ownerCases, ...catalogueCases }).map(([name, check]) => ({
    name,
    async run() {
      const subject = await make();
      try {
        await check(await createStoreScene(subject));
      } finally {
        await subject.close?.();
      }
    },
  }));
}
