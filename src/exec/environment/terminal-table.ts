import type { World } from '../../base/world.ts';
import type { OpenTerminal } from '../output/terminal.ts';

/** A table of the terminals that the model may still ask for. */
export interface TerminalTable {
  /** Returns an unused number. The number stays reserved until `delete`. */
  freeId(): number;
  /** Adds a terminal. Returns the terminal that was removed to make room, if one was. */
  add(terminal: OpenTerminal): OpenTerminal | undefined;
  get(id: number): OpenTerminal | undefined;
  /** Marks a terminal as used. Recently used terminals are not dropped. */
  touch(id: number): void;
  delete(id: number): void;
}

const FIRST_ID = 1000;
const LAST_ID = 99_999;
/** Most terminals in the table. */
export const TERMINAL_LIMIT = 64;
const NEVER_DROPPED = 8;

export function createTerminalTable(world: World): TerminalTable {
  // In order of last use, oldest first.
  const terminals = new Map<number, OpenTerminal>();
  // Numbers in use. A terminal gets its number before its process is started.
  const taken = new Set<number>();

  function remove(id: number): void {
    terminals.delete(id);
    taken.delete(id);
  }

  function makeRoom(): OpenTerminal | undefined {
    if (terminals.size < TERMINAL_LIMIT) return undefined;
    const oldest = [...terminals.values()].slice(0, -NEVER_DROPPED);
    const dropped = oldest.find((terminal) => !terminal.isRunning()) ?? oldest[0];
    if (dropped !== undefined) remove(dropped.id);
    return dropped;
  }

  return {
    freeId() {
      let id = FIRST_ID + Math.floor(world.random() * (LAST_ID - FIRST_ID + 1));
      while (taken.has(id)) id = id === LAST_ID ? FIRST_ID : id + 1;
      taken.add(id);
      return id;
    },
    add(terminal) {
      const dropped = makeRoom();
      terminals.set(terminal.id, terminal);
      return dropped;
    },
    get: (id) => terminals.get(id),
    touch(id) {
      const terminal = terminals.get(id);
      if (terminal === undefined) return;
      terminals.delete(id);
      terminals.set(id, terminal);
    },
    delete: remove,
  };
}
