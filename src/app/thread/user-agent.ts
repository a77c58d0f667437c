import { arch, type as osType, release } from 'node:os';

/** Who we say we are: `oxbow_exec/0.1.0 (Linux 6.1.0; x64)`. */
export function userAgent(originator: string, version: string): string {
  return `${originator}/${version} (${osType()} ${release()}; ${arch()})`;
}
