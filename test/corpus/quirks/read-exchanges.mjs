import { readQuirks } from './read-corpus.mjs';

/** Returns the quirks of sections G and H, in the order of their ids. */
export function readExchanges() {
  return readQuirks(new URL('./exchanges/', import.meta.url));
}
