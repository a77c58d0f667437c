/** What comes out for a piece that went in: the piece itself if nothing was changed, otherwise slices of it and more. */
export class PieceOutput {
  #piece = '';
  /** Where the part of the piece begins that was neither copied nor replaced. */
  #from = 0;
  #given = '';
  /** What had been given when the hold began. */
  #before = '';
  #holds = false;

  get holds(): boolean {
    return this.#holds;
  }

  /** The next piece. The one before must have been closed. */
  open(piece: string): void {
    this.#piece = piece;
    this.#from = 0;
  }

  /** Puts a text in the place of a part of the piece. Places only grow. */
  replace(from: number, to: number, text: string): void {
    this.#copy(from);
    this.#given += text;
    this.#from = to;
  }

  /** From here on nothing is given until the hold is settled, be it pieces later. */
  hold(at: number): void {
    this.#copy(at);
    this.#before = this.#given;
    this.#given = '';
    this.#holds = true;
  }

  /** Ends the hold and gives the text that `decide` makes of what was held. */
  settle(at: number, decide: (held: string) => string): void {
    this.#copy(at);
    this.#given = this.#before + decide(this.#given);
    this.#before = '';
    this.#holds = false;
  }

  /** What can be given of the piece up to here. */
  close(at: number): string {
    if (this.#from === 0 && at === this.#piece.length && this.#given === '' && !this.#holds) return this.#piece;
    this.#copy(at);
    const text = this.#holds ? this.#before : this.#given;
    if (this.#holds) this.#before = '';
    else this.#given = '';
    return text;
  }

  /** What is held, as it is. Nothing is held any longer. */
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
