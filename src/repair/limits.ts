/** Limits of a response. A response beyond them is given up, and its unfinished calls do not run. */
export const MAX_ARGUMENT_CHARS = 16 * 1024 * 1024;
/** The most characters of text and reasoning together. */
export const MAX_TEXT_CHARS = 16 * 1024 * 1024;
export const MAX_CALLS = 256;
/** The most levels that arguments may be nested. */
export const MAX_DEPTH = 256;
