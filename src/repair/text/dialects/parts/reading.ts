import type { RepairTool } from '../../../context.ts';

/** Part of a reader, which yields while it needs more text. */
export type DialectReading<T> = Generator<void, T, void>;

/** Declared tools. */
export type Tools = ReadonlyMap<string, RepairTool>;
