import type { RepairId } from '../catalog.ts';

/** Servers refuse longer ids. */
const MAX_CHARS = 64;

/** Ids of the calls of one response. */
export class RepairedCallIds {
  readonly #used = new Set<string>();
  readonly #isTaken: (id: string) => boolean;
  #minted = 0;

  constructor(isTaken: (id: string) => boolean) {
    this.#isTaken = isTaken;
  }

  /** Claims an id for a call. Returns the fault of an id that cannot be used. */
  claim(id: string): RepairId | undefined {
    if (id.length > MAX_CHARS) return 'B10';
    if (this.#used.has(id) || this.#isTaken(id)) return 'B8';
    this.#used.add(id);
    return undefined;
  }

  /** Returns a free id. */
  mint(make: (n: number) => string): string {
    let id = make(this.#minted++);
    while (this.claim(id) !== undefined) id = make(this.#minted++);
    return id;
  }
}
