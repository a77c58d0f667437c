/**
 * Output for one piece of input: the piece itself if nothing was changed, otherwise slices of the piece and
 * replacements.
 */
export class PieceOutput {
  #piece = '';
  /** Start of the part of the piece that was neither copied nor replaced. */
  #from = 0;
  #given = '';
  /** Output at the time when the hold began. */
  #before = '';
  #holds = false;

  get holds(): boolean {
    return this.#holds;
  }

  /** Begins the next piece. The piece before must have been closed. */
  open(piece: string): void {
    this.#piece = piece;
    this.#from = 0;
  }

  /** Replaces a part of the piece. Calls must come in the order of the text. */
  replace(from: number, to: number, text: string): void {
    this.#copy(from);
    this.#given += text;
    this.#from = to;
  }

  /** Holds the output from here on until `settle`, which may come pieces later. */
  hold(at: number): void {
    this.#copy(at);
    this.#before = this.#given;
    this.#given = '';
    this.#holds = true;
  }

  /** Ends the hold. The held text becomes the text that `decide` returns. */
  settle(at: number, decide: (held: string) => string): void {
    this.#copy(at);
    this.#given = this.#before + decide(this.#given);
    this.#before = '';
    this.#holds = false;
  }

  /** Returns the output of the piece up to an index, without a held text. */
  close(at: number): string {
    if (this.#from === 0 && at === this.#piece.length && this.#given === '' && !this.#holds) return this.#piece;
    this.#copy(at);
    const text = this.#holds ? this.#before : this.#given;
    if (this.#holds) this.#before = '';
    else this.#given = '';
    return text;
  }

  /** Returns the held text unchanged and ends the hold. */
  release(): string {
    const text = this.#holds ? this.#given : '';
    if (this.#holds) this.#given = '';
    this.#holds = false;
    return text;
  }

  #copy(to: number): void {
    if (to > this.#from) this.#given += this.#piece.slice(this.#from, to);
    this.#from = to;
  }
}
