import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { ObjectEnd } from '../object-end.ts';
import type { RepairReporter } from '../report.ts';
import { type BlockKind, eventFrame, type MessageFrame, type ServerBlock } from './step.ts';

/** Writes the blocks of a message one after the other: the next begins when the one before it is closed. */
export class BlockWriter {
  readonly #reporter: RepairReporter;
  readonly #put: (frame: Frame) => void;
  /** Index of the next block. */
  #next = 0;
  #open: OpenBlock | undefined;
  /** Text or thinking that its server began, and of which nothing went out yet. It may turn out to be empty. */
  #begun: BegunBlock | undefined;

  constructor(reporter: RepairReporter, put: (frame: Frame) => void) {
    this.#reporter = reporter;
    this.#put = put;
  }

  /** Whether a call is open that is not whole, so that more of it may come before the next block. */
  get waits(): boolean {
    return this.#open?.input?.isClosed === false;
  }

  /** Index of the open block, if the server's next piece of this block can go out as it is. */
  runs(block: ServerBlock): number | undefined {
    const open = this.#open;
    return open?.server === block && open.stop === undefined ? open.index : undefined;
  }

  /** Reports whether a piece of a call belongs to the open block. */
  isOpen(place: number): boolean {
    return this.#open?.place === place && this.#open.kind === 'call';
  }

  /** Reports whether this is the open block. */
  has(block: ServerBlock): boolean {
    return this.#open?.server === block;
  }

  /** Begins a block of the server. Text and thinking begin with their first piece. */
  begin(block: ServerBlock, frame: MessageFrame): void {
    this.#leave('server');
    if (block.kind === 'text' || block.kind === 'thinking') {
      this.#begun = { block, frame, before: [], stop: undefined, after: [] };
    } else this.#start(block.kind, frame, { server: block, place: block.place });
  }

  /** Begins a call that its server did not send in this form. */
  beginCall(start: Fields, server: ServerBlock | undefined, place: number): void {
    this.#leave(server === undefined ? 'repair' : 'server');
    this.#start('call', eventFrame(start), { server, place });
  }

  /** Writes a piece of a block of the server. A piece of a block that is gone opens another one of its kind. */
  piece(block: ServerBlock, frame: MessageFrame, input?: string): void {
    if (this.#open?.server !== block) {
      if (block.kind !== 'text' && block.kind !== 'thinking') return;
      this.#openFor(block.kind, block);
    }
    this.#write(frame, input);
  }

  /** Writes a piece without content, which opens no block. */
  emptyPiece(block: ServerBlock, frame: MessageFrame): void {
    if (this.#begun?.block === block && this.#begun.stop === undefined) this.#begun.before.push({ frame, isOwn: true });
    else if (this.#open?.server === block) this.#write(frame);
  }

  /** Writes text or thinking that a repair made. */
  text(kind: 'text' | 'thinking', delta: Fields): void {
    if (this.#open?.kind !== kind) this.#openFor(kind, undefined);
    this.#write(eventFrame({ type: 'content_block_delta', index: -1, delta }));
  }

  /** Writes input that a repair made into the open call. */
  input(text: string, delta: Fields): void {
    this.#write(eventFrame({ type: 'content_block_delta', index: -1, delta }), text);
  }

  /** Notes that the open call has no input. */
  blank(block: ServerBlock): void {
    if (this.#open?.server === block) this.#open.input?.push('{}');
  }

  /** Closes a block of the server. Text stays open for the rest of it, and a call that is not whole for its end. */
  stop(block: ServerBlock, frame: MessageFrame): void {
    if (this.#begun?.block === block) this.#begun.stop ??= frame;
    if (this.#open?.server !== block) return;
    this.#open.stop ??= frame;
    if (this.#open.kind === 'other' || this.#open.input?.isClosed === true) this.#close('server');
  }

  /** Writes an event that has nothing to do with blocks, in its place among the others. */
  other(frame: MessageFrame): void {
    const waiting = this.#begun ?? this.#open;
    if (waiting?.stop !== undefined) waiting.after.push(frame);
    else if (this.#begun === undefined) this.#put(frame);
    else this.#begun.before.push({ frame, isOwn: false });
    if ((waiting?.after.length ?? 0) + (this.#begun?.before.length ?? 0) > MAX_WAITING) this.#giveWay();
  }

  /** Closes everything. */
  end(): void {
    this.#leave('server');
  }

  /** Writes what came before an error. A call that is not whole stays open, so that no client takes it for whole. */
  fail(): void {
    if (this.#begun?.block.said === false) this.#openFor(kindOf(this.#begun), this.#begun.block);
    if (this.#open?.stop !== undefined && !this.waits) this.#close('server');
  }

  /** Reports whether the open block is waiting for nothing but its end. */
  closeWhole(): boolean {
    const open = this.#open;
    if (open?.kind !== 'call' || open.stop === undefined || open.input?.isClosed !== true) return false;
    this.#close('server');
    return true;
  }

  #giveWay(): void {
    if (this.#begun !== undefined) this.#openFor(kindOf(this.#begun), this.#begun.block);
    else this.#close('server');
  }

  /** Opens a block for text or thinking: the one that the server began, if it is of that kind. */
  #openFor(kind: 'text' | 'thinking', server: ServerBlock | undefined): void {
    const begun = this.#begun;
    const isIts = begun?.block.kind === kind && (server === undefined || server === begun.block);
    this.#close(server === undefined ? 'repair' : 'server');
    if (!isIts) {
      this.#start(kind, eventFrame({ type: 'content_block_start', index: -1, content_block: EMPTY[kind] }), { server });
      return;
    }
    this.#begun = undefined;
    const { block, frame, before, stop, after } = begun;
    const open = this.#start(kind, frame, { server: block });
    for (const { frame: held, isOwn } of before) this.#put(isOwn ? placed(held, open.index) : held);
    open.stop = stop;
    open.after.push(...after);
  }

  /** Closes the open block, and ends a block that was only begun. */
  #leave(by: 'server' | 'repair'): void {
    this.#close(by);
    const begun = this.#begun;
    if (begun === undefined) return;
    // An empty block of the server stays. A block of which everything was removed disappears.
    if (!begun.block.said && begun.stop !== undefined) {
      this.#openFor(kindOf(begun), begun.block);
      this.#close(by);
      return;
    }
    this.#begun = undefined;
    for (const { frame, isOwn } of begun.before) if (!isOwn) this.#put(frame);
    for (const frame of begun.after) this.#put(frame);
  }

  #start(kind: BlockKind, frame: MessageFrame, { server, place }: Pick<OpenBlock, 'server' | 'place'>): OpenBlock {
    const open: OpenBlock = {
      kind,
      index: this.#next++,
      server,
      place,
      input: kind === 'call' ? new ObjectEnd() : undefined,
      stop: undefined,
      after: [],
    };
    this.#open = open;
    this.#put(placed(frame, open.index));
    return open;
  }

  #write(frame: MessageFrame, input = ''): void {
    const open = this.#open;
    if (open === undefined) return;
    open.input?.push(input);
    this.#put(placed(frame, open.index));
  }

  #close(by: 'server' | 'repair'): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const isLeftOpen = by === 'server' && open.server?.stopped === false;
    if (isLeftOpen) this.#reporter.report('I3', { before: `block ${open.index} is open`, after: 'content_block_stop' });
    this.#put(placed(open.stop ?? eventFrame({ type: 'content_block_stop', index: open.index }), open.index));
    for (const frame of open.after) this.#put(frame);
  }
}

/** The most events that wait for a block. */
const MAX_WAITING = 64;

/** Block that the client knows and that is not closed. */
interface OpenBlock {
  readonly kind: BlockKind;
  readonly index: number;
  /** Undefined if the block was made by a repair. */
  readonly server: ServerBlock | undefined;
  /** Number of a call among the calls of the message. */
  readonly place?: number | undefined;
  /** Input of a call. */
  readonly input: ObjectEnd | undefined;
  /** The server's event that closes the block, once it came, and other events after it. */
  stop: MessageFrame | undefined;
  readonly after: Frame[];
}

/** Block that the server began and that the client does not know yet. */
interface BegunBlock {
  readonly block: ServerBlock;
  readonly frame: MessageFrame;
  /** Events that came after the beginning. `isOwn`: pieces of the block. */
  readonly before: { readonly frame: MessageFrame; readonly isOwn: boolean }[];
  stop: MessageFrame | undefined;
  readonly after: Frame[];
}

const EMPTY = {
  text: { type: 'text', text: '' },
  thinking: { type: 'thinking', thinking: '', signature: '' },
} as const;

function kindOf({ block }: BegunBlock): 'text' | 'thinking' {
  return block.kind === 'thinking' ? 'thinking' : 'text';
}

/** Returns an event of a block with the index that the block has for the client. */
function placed(frame: MessageFrame, index: number): MessageFrame {
  return frame.json.index === index ? frame : eventFrame({ ...frame.json, index });
}
