import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('./', import.meta.url);

/** Returns the quirks of the corpus, in the order of their ids. */
export function readCorpus() {
  return readQuirks(FOLDER);
}

/** Returns the quirks of a folder, in the order of their ids. */
export function readQuirks(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    .sort((a, b) => a.id[0].localeCompare(b.id[0]) || Number(a.id.slice(1)) - Number(b.id.slice(1)));
}

/** Returns the body of a case's response. A case about the request only has none. */
export function bodyOf({ frames, body, body_base64 }) {
  if (body_base64 !== undefined) return Buffer.from(body_base64, 'base64');
  return Buffer.from(body ?? (frames ?? []).map(eventText).join(''));
}

/** Returns the content type of that body. */
export function contentTypeOf({ content_type }) {
  return content_type ?? 'text/event-stream';
}

function eventText(frame) {
  if (typeof frame === 'string') return `data: ${frame}\n\n`;
  return `event: ${frame.event}\ndata: ${frame.data}\n\n`;
}
