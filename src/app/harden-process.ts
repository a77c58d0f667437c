import { closeInheritedDescriptors } from '../exec/close-inherited-descriptors.ts';

/** For programs of our own, at their start: lets go of descriptors that a command could reach out of the sandbox with. */
export function hardenProcess(env: Readonly<Record<string, string | undefined>>): void {
  closeInheritedDescriptors(env.NODE_CHANNEL_FD === undefined ? undefined : Number(env.NODE_CHANNEL_FD));
}
