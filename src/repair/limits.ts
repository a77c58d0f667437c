/** Beyond these a response is given up, and none of its unfinished calls runs. */
export const MAX_ARGUMENT_CHARS = 16 * 1024 * 1024;
export const MAX_CALLS = 256;
/** How deep arguments may be nested. */
export const MAX_DEPTH = 256;
