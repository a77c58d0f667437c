import { arch, type as osType, release } from 'node:os';
import type { ClientIdentity } from '../../model/headers.ts';
import type { AgentParts } from '../agent-parts.ts';

/** Returns the identity of a thread's requests, with a user agent such as `oxbow_exec/0.1.0 (Linux 6.1.0; x64)`. */
export function clientIdentity(
  { originator, config }: Pick<AgentParts, 'originator' | 'config'>,
  threadId: string,
): ClientIdentity {
  const userAgent = config.userAgent ?? `${originator}/${OXBOW_VERSION} (${osType()} ${release()}; ${arch()})`;
  return { requestId: threadId, threadId, originator, userAgent };
}
