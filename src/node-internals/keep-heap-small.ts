import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8 collect young objects more often instead of giving them more room.
 *
 * Relies on the V8 flag `--semi-space-growth-factor`, which Node does not document, and on V8 obeying the flag after its
 * start. An agent mostly waits: the room for young objects would soon be as large as V8 allows, and full of garbage. A
 * larger process also forks more slowly. keep-heap-small.test.ts fails when the flag no longer has an effect.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
