import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRecord } from '../../base/json-schema.ts';

/** Wires that servers were found to speak, by base URL, kept between runs. Losing an entry costs one request. */
export interface KnownWires {
  get(baseUrl: string): string | undefined;
  set(baseUrl: string, wire: string): void;
}

export function openKnownWires(home: string): KnownWires {
  const path = join(home, 'wires.json');
  let known: Record<string, unknown> | undefined;
  const read = () => {
    known ??= readTable(path);
    return known;
  };
  return {
    get(baseUrl) {
      const wire = read()[baseUrl];
      return typeof wire === 'string' ? wire : undefined;
    },
    set(baseUrl, wire) {
      known = { ...readTable(path), [baseUrl]: wire };
      writeTable(path, known);
    },
  };
}

function readTable(path: string): Record<string, unknown> {
  try {
    const table: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isRecord(table) ? table : {};
  } catch {
    return {};
  }
}

function writeTable(path: string, table: object): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(table, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    // The home cannot be written to. The wire will be detected again.
  }
}
