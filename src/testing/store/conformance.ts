import { type ConformanceCase, conformanceCases } from '../conformance-case.ts';
import { catalogueCases } from './catalogue-cases.ts';
import { logCases } from './log-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { createStoreScene, type StoreUnderTest } from './scene.ts';

export type { StoreUnderTest } from './scene.ts';

/** Returns a case for each promise of `ThreadStore`. */
export function storeConformance(make: () => StoreUnderTest | Promise<StoreUnderTest>): readonly ConformanceCase[] {
  return conformanceCases({ ...logCases, ...ownerCases, ...catalogueCases }, async (check) => {
    const subject = await make();
    try {
      await check(await createStoreScene(subject));
    } finally {
      await subject.close?.();
    }
  });
}
