/** Rules that tell calls from results on a wire. */
export interface CallRules {
  /** Splits an entry that answers several calls into entries that answer one each. Absent: no entry does. */
  split?(entry: unknown): readonly unknown[];
  /** Returns the calls of an entry; undefined for an entry without calls. */
  calls(entry: unknown): readonly PendingCall[] | undefined;
  /** Returns the id of the call that an entry answers; undefined for an entry that is not a result. */
  answers(entry: unknown): string | undefined;
  /** Reports whether an entry may stand among the calls of one response. */
  joins(entry: unknown): boolean;
  /** Splits a group that begins with a call into the entries before its results and the entries after them. */
  write(entries: readonly unknown[]): { readonly calls: readonly unknown[]; readonly rest: readonly unknown[] };
  /** Whether a result may belong to a call that only the server knows. */
  readonly keepsStrays: boolean;
}

/** Output of a call that was never answered. */
export const ABORTED = 'aborted';

export interface PendingCall {
  readonly id: string;
  /** Returns the result of a call that never got one. */
  aborted(): unknown;
}

export interface Ordered {
  readonly entries: readonly unknown[];
  /** Ids of calls that were given an aborted result. */
  readonly aborted: readonly string[];
  /** Ids of results that were left out, because no earlier call waits for them. */
  readonly strays: readonly string[];
}

/** Puts entries in the strict order: the calls of one response together, followed by their results. */
export function orderCalls(history: readonly unknown[], rules: CallRules): Ordered {
  const slots: Slot[] = [];
  const strays: string[] = [];
  const waiting = createCallTable();
  let open: Group | undefined;
  for (const entry of history.flatMap((one) => rules.split?.(one) ?? [one])) {
    const id = rules.answers(entry);
    const group = id === undefined ? undefined : waiting.answer(id, entry);
    if (group !== undefined) {
      // After a result, the next calls belong to a new response.
      if (group === open) open = undefined;
    } else if (id !== undefined && !rules.keepsStrays) {
      strays.push(id);
    } else if (open !== undefined && rules.joins(entry)) {
      open.entries.push(entry);
      waiting.add(rules.calls(entry) ?? [], open);
    } else {
      const calls = rules.calls(entry);
      open = calls && { entries: [entry], calls: [] };
      if (open !== undefined) waiting.add(calls ?? [], open);
      slots.push(open ? { group: open } : { entry });
    }
  }
  return { ...writeSlots(slots, rules), strays };
}

type Slot = { readonly group: Group } | { readonly group?: never; readonly entry: unknown };

interface Group {
  readonly entries: unknown[];
  readonly calls: { readonly call: PendingCall; result: unknown }[];
}

function writeSlots(slots: readonly Slot[], rules: CallRules): Pick<Ordered, 'entries' | 'aborted'> {
  const entries: unknown[] = [];
  const aborted: string[] = [];
  for (const slot of slots) {
    if (slot.group === undefined) {
      entries.push(slot.entry);
      continue;
    }
    const { calls, rest } = rules.write(slot.group.entries);
    entries.push(...calls);
    for (const { call, result } of slot.group.calls) {
      if (result === undefined) aborted.push(call.id);
      entries.push(result ?? call.aborted());
    }
    entries.push(...rest);
  }
  return { entries, aborted };
}

interface CallTable {
  add(calls: readonly PendingCall[], group: Group): void;
  /** Adds a result to the call that waits for it. Returns the group of that call. */
  answer(id: string, result: unknown): Group | undefined;
}

/**
 * Creates a table of calls. Servers may reuse an id in a later response, so a result belongs to the latest response
 * with its id.
 */
function createCallTable(): CallTable {
  const waiting = new Map<string, { readonly group: Group; readonly calls: Group['calls'] }>();
  return {
    add(calls, group) {
      for (const call of calls) {
        const answered = { call, result: undefined };
        group.calls.push(answered);
        const same = waiting.get(call.id);
        if (same?.group === group) same.calls.push(answered);
        else waiting.set(call.id, { group, calls: [answered] });
      }
    },
    answer(id, result) {
      const found = waiting.get(id);
      const answered = found?.calls.shift();
      if (answered === undefined) return undefined;
      answered.result = result;
      return found?.group;
    },
  };
}
