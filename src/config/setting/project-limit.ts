import { isStrings } from './kinds.ts';

/** Limit of a setting that a project may make stricter than it is without the project, never looser. */
export interface ProjectLimit {
  /** Stricter values, for people. */
  readonly stricter: string;
  /**
   * Reports whether a value is at least as strict as the one below, which holds without it. A value of the wrong type
   * passes: reading it is an error anyway.
   */
  allows(value: unknown, below: unknown): boolean;
}

export function strictestFirst(...values: readonly unknown[]): ProjectLimit {
  return {
    stricter: values.map((value) => `\`${value}\``).join(', then '),
    allows: (value, below) => !values.includes(value) || values.indexOf(value) <= values.indexOf(below),
  };
}

/** Limit of a list that allows something. */
export const FEWER: ProjectLimit = {
  stricter: 'fewer than yours',
  allows: (value, below) => !isStrings(value) || value.every((entry) => isStrings(below) && below.includes(entry)),
};

/** Limit of a list that forbids something. */
export const MORE: ProjectLimit = {
  stricter: 'yours and more',
  allows: (value, below) => !isStrings(value) || !isStrings(below) || below.every((entry) => value.includes(entry)),
};
