import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RepairTool } from '../context.ts';
import { repaired } from './fixtures/repaired.ts';

const FOLDER = resolve(process.cwd(), '../shared/fixtures/streams/responses');
const STREAMS = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .filter((name) => name.endsWith('.chunks.txt'))
      .sort()
  : [];

/** Recording whose first and last line are torn. */
const TORN = /parallel-tool-call-wrapper/;

/** Returns the responses of a recording. Some recordings hold several turns. */
function responsesOf(name: string): string[][] {
  const responses: string[][] = [];
  for (const line of readFileSync(resolve(FOLDER, name), 'utf8').split('\n')) {
    if (line.startsWith('{"type":"response.created"') || responses.length === 0) responses.push([]);
    if (line.trim() !== '') responses.at(-1)?.push(line);
  }
  return responses;
}

/** Declares every function that a recording calls. The schemas say only that it takes an object. */
function toolsOf(lines: readonly string[]): ReadonlyMap<string, RepairTool> {
  const tools = new Map<string, RepairTool>([['shell', { schema: { type: 'object' } }]]);
  for (const line of lines) {
    for (const [, name = ''] of line.matchAll(/"type":"function_call"[^{}]*"name":"([^"]+)"/g)) {
      tools.set(name, { schema: { type: 'object' } });
    }
  }
  return tools;
}

describe.skipIf(STREAMS.length === 0)('recorded streams', () => {
  test.each(STREAMS.filter((name) => !TORN.test(name)))('%s passes byte for byte', (name) => {
    for (const lines of responsesOf(name)) {
      for (const tools of [undefined, toolsOf(lines)]) {
        const { frames, repairs } = repaired(lines, tools === undefined ? {} : { tools });
        expect(repairs).toEqual([]);
        expect(frames.map(({ data }) => data)).toEqual(lines);
      }
    }
  });

  test.each(STREAMS.filter((name) => TORN.test(name)))('%s ends with its call, which is whole', (name) => {
    const { calls, ids, end } = repaired(responsesOf(name).flat());
    expect(ids).toEqual(['A5', 'F9']);
    expect(calls).toMatchObject([{ name: 'parallel' }]);
    expect(end).toMatchObject({ type: 'completed' });
  });
});
