import { type FoundValue, keysBelow, type Layer, lookup } from './layers.ts';

/** Layers as one table, with the facts that values and defaults depend on. */
export interface SettingsReader {
  /** Returns the value at a path from the highest layer that has one. */
  found(path: readonly string[]): FoundValue | undefined;
  /** Returns the keys that any layer has below a path. */
  keys(path: readonly string[]): string[];
  /** Folder that `~` stands for. */
  readonly userFolder: string;
  /** Whether the project is trusted; false while that is being found out. */
  readonly trusted: boolean;
}

export function createSettingsReader(
  layers: readonly Layer[],
  facts: Pick<SettingsReader, 'userFolder' | 'trusted'>,
): SettingsReader {
  return { found: (path) => lookup(layers, path), keys: (path) => keysBelow(layers, path), ...facts };
}
