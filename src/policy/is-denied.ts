import type { SandboxPolicy } from '../base/policy.ts';

/** Whether a path without links is, or lies below, what may not be read. */
export function isDenied(path: string, { denyRead = [] }: SandboxPolicy): boolean {
  return denyRead.some((denied) => path === denied || path.startsWith(denied.endsWith('/') ? denied : `${denied}/`));
}
