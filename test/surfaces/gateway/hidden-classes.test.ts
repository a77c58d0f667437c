import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callAnswer } from './faults/call-answer.ts';
import { startGatewayProcess } from './faults/gateway-process.ts';
import { startModelServer } from './faults/model-server.ts';
import { askThrough, nameOf, PAIRS, type Pair, pairIn } from './faults/pairs.ts';

const WARM_UP = 10;
const MEASURED = 10;

/**
 * V8 makes a new hidden class each time that an object is spread and then extended, and everything that reads the object
 * afterwards is slow.
 */
test('an exchange makes no hidden class of its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'maps-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'v8.log');
  const server = await startModelServer(({ body, response }) => {
    const { type, bytes } = callAnswer(pairIn(body));
    response.writeHead(200, { 'content-type': type });
    response.end(bytes);
  });
  const wrap = [process.execPath, '--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`];
  const gateway = await startGatewayProcess({ server: server.url }, { wrap });
  const made: string[] = [];
  for (const pair of PAIRS.filter(({ stream }) => stream)) {
    const run = async (times: number) => {
      for (let n = 0; n < times; n++) await askThrough(gateway, pair, nameOf(pair));
    };
    await run(WARM_UP);
    const from = statSync(log).size;
    await run(MEASURED);
    made.push(...madeEachTime(textFrom(log, from), pair));
  }
  expect(made).toEqual([]);
});

/** Fields that Node adds to the settings of each new socket. */
const OF_NODE: ReadonlySet<string> = new Set(['emitClose', 'autoDestroy', 'decodeStrings']);

/** Returns the fields whose addition made a hidden class in each measured exchange. */
function madeEachTime(log: string, pair: Pair): string[] {
  const counts = new Map<string, number>();
  for (const [, place = '', name = ''] of log.matchAll(/^map,Transition,\d+,\w+,\w+,\w+,(\d+,\d+),prototype,(.*)$/gm)) {
    if (OF_NODE.has(name)) continue;
    const key = `${nameOf(pair)}: ${name} at ${place}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].flatMap(([key, count]) => (count >= MEASURED / 2 ? [key] : []));
}

function textFrom(path: string, from: number): string {
  const bytes = Buffer.alloc(statSync(path).size - from);
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  return bytes.toString();
}
