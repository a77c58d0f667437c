import type { RepairTool } from '../../../context.ts';

/** A piece of a reader: yields where it needs more text than has come. */
export type DialectReading<T> = Generator<void, T, void>;

/** The tools that were declared. */
export type Tools = ReadonlyMap<string, RepairTool>;
