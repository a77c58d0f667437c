import { UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';
import { nearestName } from './nearest-name.ts';

/** The names of all options of a type. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>;

/** Throws `UserError` for options that are not an object, or have a name that does not exist. */
export function checkOptions<T extends object>(
  owner: string,
  options: T,
  names: Readonly<Record<keyof T, unknown>>,
): void {
  if (!isRecord(options)) throw new UserError('invalid_input', `The options of ${owner} must be an object.`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, Object.keys(names));
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new UserError('invalid_input', `${owner} has no option "${unknown}".${hint}`);
}
