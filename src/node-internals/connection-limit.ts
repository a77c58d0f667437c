import { readFileSync } from 'node:fs';

/** Up to this number the limit is not read: few programs come near it. */
const FEW_CONNECTIONS = 64;

/** Returns the limit of connections to a server. Files and processes need the other descriptors. */
export function createConnectionLimit(): (connections: number) => boolean {
  let most: number | undefined;
  return (connections) => {
    if (connections < FEW_CONNECTIONS) return true;
    most ??= Math.floor(descriptorLimit() / 3);
    return connections < most;
  };
}

/** The limit of most systems, for systems that do not tell it. */
const USUAL_LIMIT = 1024;
const OPEN_FILES = /^Max open files\s+(\d+)/m;

/** Returns how many descriptors this process may have open. Node raises its limit as far as it may when it starts. */
function descriptorLimit(): number {
  try {
    const [, limit] = OPEN_FILES.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return limit === undefined ? USUAL_LIMIT : Number(limit);
  } catch {
    return USUAL_LIMIT;
  }
}
