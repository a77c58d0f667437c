import type { SandboxPolicy } from '../../base/policy.ts';
import { isInside } from '../sandbox/writable-paths.ts';

/** Whether a path without links is, or lies below, what may not be read. */
export function isDenied(path: string, { denyRead = [] }: SandboxPolicy): boolean {
  return denyRead.some((denied) => path === denied || isInside(path, denied));
}
