import type { Terminal } from '../../base/environment.ts';
import { UserError } from '../../base/errors.ts';
import type { EventBody, RunningTerminal } from '../../base/event.ts';
import type { Terminals } from '../turn-setup.ts';

export function createTerminals(emit: (event: EventBody) => void): Terminals {
  const open = new Map<number, { readonly facts: RunningTerminal; readonly terminal: Terminal }>();
  const running = new Map<string, Terminal>();
  const list = () => [...open.values()].map(({ facts }) => facts);
  const changed = () => emit({ type: 'terminals.changed', terminals: list() });

  function find(id: number): Terminal {
    const found = open.get(id);
    if (!found) throw new UserError('not_found', `No terminal ${id} of this thread is running.`);
    return found.terminal;
  }

  return {
    list,
    began: (itemId, terminal) => void running.set(itemId, terminal),
    ended: (itemId) => void running.delete(itemId),
    soFar(itemId) {
      const text = running.get(itemId)?.output?.();
      return text === undefined ? undefined : { text, isWhole: !OMITTED.test(text) };
    },
    add(facts, terminal) {
      open.set(facts.id, { facts, terminal });
      changed();
    },
    remove(id) {
      if (open.delete(id)) changed();
    },
    output: (id) => lastLines(find(id).output?.() ?? ''),
    stop: async (id) => find(id).kill(),
  };
}

/** The mark of an environment in an output without its middle. */
const OMITTED = /\n\.\.\. \d+ bytes omitted \.\.\.\n/;

/** Characters of an output that are shown of a running terminal. */
const MOST_CHARS = 64 * 1024;

/** Returns the end of a text, in whole lines if one of them fits. */
function lastLines(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  const end = text.slice(-MOST_CHARS);
  const at = end.indexOf('\n');
  return at < 0 ? end : end.slice(at + 1);
}
