import type { Fields } from '../../wire/fields/request-fields.ts';
import type { OpenItem } from './open-item.ts';

/** Open items, and the indexes of all items of a response. */
export class OpenItems {
  readonly #byId = new Map<string, OpenItem>();
  /** For servers that leave ids out. Some send the index 0 for every item: then the last one is meant. */
  readonly #byIndex = new Map<unknown, OpenItem>();
  readonly #open = new Set<OpenItem>();
  /** Item that was found last. Most events are about the same item as the event before, and ids are long. */
  #last: OpenItem | undefined;
  readonly #closedIds = new Set<string>();
  #largest = -1;
  /** Indexes that are not from the server: of items that were made up, and of items that were moved. */
  readonly #own = new Set<unknown>();
  /** New indexes of the server's items whose own index was in use. */
  readonly #moved = new Map<unknown, number>();

  /** Returns the item that an event is about: the item with its id, otherwise the open item at its index. */
  find<T extends OpenItem['type']>(id: unknown, index: unknown, type: T): Extract<OpenItem, { type: T }> | undefined {
    const last = this.#last;
    const isLast = last !== undefined && last.id === id && id !== undefined;
    const item = isLast ? last : (this.#byId.get(id as string) ?? this.#byIndex.get(index));
    this.#last = item;
    return item?.type === type ? (item as Extract<OpenItem, { type: T }>) : undefined;
  }

  /** Reports whether an item with this id was completed. */
  isClosed(id: unknown): boolean {
    return this.#closedIds.has(id as string);
  }

  /** Reports whether an item with this id was announced and not completed. */
  isAnnounced(id: unknown, type: OpenItem['type']): boolean {
    return this.#byId.get(id as string)?.type === type;
  }

  isAnnouncedId(id: unknown): boolean {
    return this.#byId.has(id as string);
  }

  isOpenAt(index: unknown): boolean {
    return this.#byIndex.has(index);
  }

  /** Items that were announced and not completed, in order. */
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

  /** Keeps an item that cannot be completed yet. The next item at its index is another one. */
  abandon(item: OpenItem): void {
    this.#open.add(item);
    if (item.id !== undefined) this.#byId.set(item.id, item);
    if (this.#byIndex.get(item.index) === item) this.#byIndex.delete(item.index);
  }

  /** Whether all items have their indexes from the server. */
  get isPlain(): boolean {
    return this.#own.size === 0;
  }

  /** Next free index. */
  get nextIndex(): number {
    return this.#largest + 1;
  }

  /** Reserves an index after all others. */
  takeIndex(): number {
    this.#largest++;
    this.#own.add(this.#largest);
    return this.#largest;
  }

  /** Notes that an index is in use. */
  note(index: unknown): void {
    if (Number.isSafeInteger(index)) this.#largest = Math.max(this.#largest, Number(index));
  }

  /** Returns the event with the index that its item has in the output. The same event if nothing changes. */
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
