/** A text split into lines. A line ends with a line feed, a carriage return, or both. */
export interface Lines {
  readonly text: string;
  /** Lines without their endings. */
  readonly lines: readonly string[];
  /** Start of each line, and as the last entry the end of the text. */
  readonly starts: readonly number[];
  /** First line ending in the text. */
  readonly ending: string;
}

export function splitText(text: string): Lines {
  return text.includes('\r') ? splitAtAny(text) : splitAtFeeds(text);
}

/** Splits a text without carriage returns, as most files are. The engine does this in one step. */
function splitAtFeeds(text: string): Lines {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  starts.push(text.length);
  return { text, lines, starts, ending: '\n' };
}

function splitAtAny(text: string): Lines {
  const lines: string[] = [];
  const starts: number[] = [];
  let ending = '';
  let feed = text.indexOf('\n');
  let carriage = text.indexOf('\r');
  let at = 0;
  while (at < text.length) {
    const isCarriage = carriage !== -1 && (feed === -1 || carriage < feed);
    const found = isCarriage ? carriage : feed;
    const end = found === -1 ? text.length : found;
    const next = end + (isCarriage && feed === end + 1 ? 2 : 1);
    lines.push(text.slice(at, end));
    starts.push(at);
    if (ending === '') ending = text.slice(end, next);
    at = Math.min(next, text.length);
    if (feed !== -1 && feed < at) feed = text.indexOf('\n', at);
    if (carriage !== -1 && carriage < at) carriage = text.indexOf('\r', at);
  }
  starts.push(text.length);
  return { text, lines, starts, ending: ending === '' ? '\n' : ending };
}
