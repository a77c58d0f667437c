import type { Fields } from '../../wire/fields/request-fields.ts';
import type { OpenItem } from './open-item.ts';

/** The items that are open, and the numbers that the items of a response have. */
export class OpenItems {
  readonly #byId = new Map<string, OpenItem>();
  /** For servers that leave ids out. Some count every item as 0: the last one is meant. */
  readonly #byIndex = new Map<unknown, OpenItem>();
  readonly #open = new Set<OpenItem>();
  /** The one that was looked for last: most events are about the same item as the one before, and ids are long. */
  #last: OpenItem | undefined;
  readonly #closedIds = new Set<string>();
  #largest = -1;
  /** Numbers that the server did not give: those of items that were made up, and of items that had to be moved. */
  readonly #own = new Set<unknown>();
  /** The numbers of the server's items whose own number was taken by then. */
  readonly #moved = new Map<unknown, number>();

  /** The item that an event is about: the one it names, else the one that is open at its index. */
  find<T extends OpenItem['type']>(id: unknown, index: unknown, type: T): Extract<OpenItem, { type: T }> | undefined {
    const last = this.#last;
    const isLast = last !== undefined && last.id === id && id !== undefined;
    const item = isLast ? last : (this.#byId.get(id as string) ?? this.#byIndex.get(index));
    this.#last = item;
    return item?.type === type ? (item as Extract<OpenItem, { type: T }>) : undefined;
  }

  /** Whether an item of this id was completed. */
  isClosed(id: unknown): boolean {
    return this.#closedIds.has(id as string);
  }

  /** Whether an item of this id was announced and not completed. */
  isAnnounced(id: unknown, type: OpenItem['type']): boolean {
    return this.#byId.get(id as string)?.type === type;
  }

  isAnnouncedId(id: unknown): boolean {
    return this.#byId.has(id as string);
  }

  isOpenAt(index: unknown): boolean {
    return this.#byIndex.has(index);
  }

  /** Announced and not completed, in their order. */
  get all(): readonly OpenItem[] {
    return [...this.#open];
  }

  isOpen(item: OpenItem): boolean {
    return this.#open.has(item);
  }

  open(item: OpenItem): void {
    this.#last = undefined;
    const known = item.id === undefined ? undefined : this.#byId.get(item.id);
    if (known !== undefined) this.#open.delete(known);
    this.#open.add(item);
    if (item.id !== undefined) this.#byId.set(item.id, item);
    this.#byIndex.set(item.index, item);
  }

  close(item: OpenItem): void {
    this.#last = undefined;
    this.#open.delete(item);
    if (item.id !== undefined) {
      this.#byId.delete(item.id);
      this.#closedIds.add(item.id);
    }
    if (this.#byIndex.get(item.index) === item) this.#byIndex.delete(item.index);
  }

  /** Keeps an item that cannot be completed yet. What comes next at its index is another one. */
  abandon(item: OpenItem): void {
    this.#open.add(item);
    if (item.id !== undefined) this.#byId.set(item.id, item);
    if (this.#byIndex.get(item.index) === item) this.#byIndex.delete(item.index);
  }

  /** Whether all items have the numbers that the server gave them. */
  get isPlain(): boolean {
    return this.#own.size === 0;
  }

  /** The number that is free for the next item. */
  get nextIndex(): number {
    return this.#largest + 1;
  }

  /** Takes a number of our own: behind all others. */
  takeIndex(): number {
    this.#largest++;
    this.#own.add(this.#largest);
    return this.#largest;
  }

  /** Notes that a number is in use. */
  note(index: unknown): void {
    if (Number.isSafeInteger(index)) this.#largest = Math.max(this.#largest, Number(index));
  }

  /** The event with the number that its item has among all that go out. The very event if that is its own. */
  place(event: Fields): Fields {
    const index = event.output_index;
    if (typeof index !== 'number') return event;
    this.note(index);
    if (this.#own.size === 0 || !this.#own.has(index)) return event;
    let moved = this.#moved.get(index);
    if (moved === undefined || event.type === 'response.output_item.added') {
      moved = this.takeIndex();
      this.#moved.set(index, moved);
    }
    return { ...event, output_index: moved };
  }
}
