import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 collect new objects more often instead of giving them more room. An agent mostly waits, so that the room would soon be
 * as large as V8 allows, full of what nobody needs any more; and a process that is larger forks more slowly.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
