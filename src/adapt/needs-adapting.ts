import { DEFAULT_REQUEST_COMPAT, type RequestCompat } from '../base/wire.ts';

/** Reports whether a server may need changed requests. Most servers accept requests unchanged. */
export function needsAdapting(compat: RequestCompat): boolean {
  let answer = answers.get(compat);
  if (answer === undefined) {
    answer = NAMES.some((name) => {
      const value = compat[name];
      return Array.isArray(value) ? value.length > 0 : value !== DEFAULT_REQUEST_COMPAT[name];
    });
    answers.set(compat, answer);
  }
  return answer;
}

const answers = new WeakMap<RequestCompat, boolean>();

const NAMES = Object.keys(DEFAULT_REQUEST_COMPAT) as readonly (keyof RequestCompat)[];

/** Reports whether an answer with this status may say what is wrong with the request. */
export function mayTeach(status: number): boolean {
  return TEACHING.has(status);
}

/** Statuses 500 and 501 are among them: in some servers, a template that refuses a history is an internal error. */
const TEACHING: ReadonlySet<number> = new Set([400, 422, 500, 501]);
