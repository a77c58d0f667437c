import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Reader of one field of a client's request. Throws `UserError` with a sentence for the client. */
export type FieldReader<T> = (value: unknown, field: string) => T;

/** Reads an optional field. Null counts as absent: many clients write out every field. */
export function optional<T>(value: unknown, field: string, read: FieldReader<T>): T | undefined {
  return value === undefined || value === null ? undefined : read(value, field);
}

export const string: FieldReader<string> = (value, field) => {
  if (typeof value !== 'string') throw wrong(field, 'a string');
  return value;
};

export const number: FieldReader<number> = (value, field) => {
  if (typeof value !== 'number') throw wrong(field, 'a number');
  return value;
};

export const boolean: FieldReader<boolean> = (value, field) => {
  if (typeof value !== 'boolean') throw wrong(field, 'true or false');
  return value;
};

export const object: FieldReader<Fields> = (value, field) => {
  if (!isRecord(value)) throw wrong(field, 'an object');
  return value;
};

/** Returns a reader of lists that reads each entry with `read`. */
export function listOf<T>(read: FieldReader<T>): FieldReader<readonly T[]> {
  return (value, field) => {
    if (!Array.isArray(value)) throw wrong(field, 'an array');
    return value.map((entry: unknown, i) => read(entry, `${field}[${i}]`));
  };
}

export function wrong(field: string, expected: string): UserError {
  return new UserError('invalid_input', `The field ${field} of the request must be ${expected}.`);
}
