import { createReadStream } from 'node:fs';

/**
 * The whole lines of a file with their numbers from 1; what follows the last newline is no line. Only a line feed ends a
 * line: the separators U+2028 and U+2029, at which `node:readline` also splits, may stand inside a JSON text.
 */
export async function* readLines(path: string): AsyncGenerator<[text: string, number: number]> {
  let number = 0;
  let pieces: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      pieces.push(chunk.subarray(start, end));
      yield [Buffer.concat(pieces).toString('utf8'), ++number];
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
}
