import type { RepairId } from '../catalog.ts';

/** Servers refuse longer ones. */
const MAX_CHARS = 64;

/** The ids of the calls of one response. */
export class RepairedCallIds {
  readonly #used = new Set<string>();
  readonly #isTaken: (id: string) => boolean;
  #minted = 0;

  constructor(isTaken: (id: string) => boolean) {
    this.#isTaken = isTaken;
  }

  /** Takes an id for a call. Says what is wrong with it if that is not possible. */
  claim(id: string): RepairId | undefined {
    if (id.length > MAX_CHARS) return 'B10';
    if (this.#used.has(id) || this.#isTaken(id)) return 'B8';
    this.#used.add(id);
    return undefined;
  }

  /** An id that is free. */
  mint(make: (n: number) => string): string {
    let id = make(this.#minted++);
    while (this.claim(id) !== undefined) id = make(this.#minted++);
    return id;
  }
}
