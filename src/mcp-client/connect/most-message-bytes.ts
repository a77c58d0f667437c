/** Bytes of the largest message that is read. */
export const MOST_MESSAGE_BYTES = 32 * 1024 * 1024;
