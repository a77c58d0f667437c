import type { Frame } from '../../base/wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { madeFrame } from '../../wire/framing/frames.ts';
import { isSet } from '../field-values.ts';

/** One choice of one chunk, and a frame that holds just that choice. */
export interface Unit {
  readonly frame: Frame;
  readonly chunk: Fields;
  readonly choice: Fields;
  readonly delta: Fields;
}

/** Returns the same choice of the same chunk with another delta. */
export function unitWith(unit: Unit, delta: Fields): Unit {
  return madeUnit(unit.chunk, unit.choice, delta);
}

/** Returns the choice with another finish signal. */
export function finishedUnit({ chunk, choice }: Unit, delta: Fields, finish: string | null): Unit {
  return madeUnit(chunk, { ...choice, finish_reason: finish }, delta);
}

/** Returns an empty unit to write further ones from, without the fields that come once in a response. */
export function bareUnit(unit: Unit): Unit {
  return new BareUnit(unit);
}

/** Returns the same unit without the fields that come once in a response. */
export function silentUnit({ chunk, choice, delta }: Unit): Unit {
  return madeUnit(withoutUsage(chunk), withoutUsage(choice), delta);
}

export function madeUnit(chunk: Fields, choice: Fields, delta: Fields): Unit {
  const said = { ...choice, delta };
  return { frame: madeFrame({ ...chunk, choices: [said] }), chunk, choice: said, delta };
}

/** Unit that is made on first use: at the end of most responses it is not used. */
class BareUnit implements Unit {
  readonly #from: Unit;
  #made: Unit | undefined;

  constructor(from: Unit) {
    this.#from = from;
  }

  get frame(): Frame {
    return this.#unit.frame;
  }

  get chunk(): Fields {
    return this.#unit.chunk;
  }

  get choice(): Fields {
    return this.#unit.choice;
  }

  get delta(): Fields {
    return this.#unit.delta;
  }

  get #unit(): Unit {
    this.#made ??= madeBare(this.#from);
    return this.#made;
  }
}

function madeBare(unit: Unit): Unit {
  const { finish_reason, delta, usage, ...choice } = unit.choice;
  const silent = 'logprobs' in choice ? { ...choice, logprobs: null } : choice;
  return madeUnit(withoutUsage(unit.chunk), { ...silent, delta: {}, finish_reason: null }, {});
}

/** Returns a chunk or a choice without its usage. */
export function withoutUsage(fields: Fields): Fields {
  if (!isSet(fields.usage)) return fields;
  const { usage, ...rest } = fields;
  return rest;
}

/**
 * Returns the rest of a unit whose delta was emptied of a part; undefined if nothing is left. A report of the usage
 * then stands alone, as after a finish signal.
 */
export function restFrame(unit: Unit, rest: Fields): Frame | undefined {
  if (Object.values(rest).some((value) => isSet(value) && value !== '')) return unitWith(unit, rest).frame;
  return isSet(unit.chunk.usage) ? madeFrame({ ...unit.chunk, choices: [] }) : undefined;
}
