import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../../src/base/json-schema.ts';
import type { SpokenWire } from './read-as-client.ts';

/** Answer of a real server, and its meaning. The requests were not kept, except for their tools. */
export interface Recording {
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  readonly wire: SpokenWire;
  readonly stream: boolean;
  readonly status: number;
  /** Status with which the server sent the answer, where the source has another. */
  readonly sent?: number;
  readonly tools?: readonly { readonly name?: string; readonly custom?: string; readonly parameters?: unknown }[];
  readonly tool_choice?: unknown;
  /** Functions of the old form. */
  readonly functions?: unknown;
  readonly body: string;
  readonly expect: Meaning;
  /** `same`: only a client of the same wire that asks as the recorded one did can be compared. */
  readonly ways?: 'same';
}

export interface Meaning {
  readonly text: string;
  /** Texts of several messages, which are `text` when joined. */
  readonly texts?: readonly string[];
  readonly reasoning: string;
  readonly refusal?: string;
  readonly calls: readonly (readonly [name: string, input: string, kind?: string])[];
  readonly finish: string;
  readonly usage: Readonly<Record<string, number>> | null;
  readonly error?: unknown;
  /** Whether a call was cut off. */
  readonly cut?: unknown;
}

/** Reads the recordings in a folder of `*.jsonl` files, by the names of the files. */
export function readRecordings(folder: string): ReadonlyMap<string, readonly Recording[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return new Map(files.map((name) => [name, linesOf(join(folder, name)).map((line) => JSON.parse(line))]));
}

function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

/** Returns a request that may have led to the recorded answer. */
export function requestFor(recording: Recording, wire: SpokenWire, stream: boolean): object {
  const { id: model, tools, tool_choice, functions } = recording;
  const common = { model, stream, ...(tools && { tools: tools.map((tool) => toolFor(tool, wire)), tool_choice }) };
  if (wire === 'responses') return { ...common, input: 'go' };
  const messages = [{ role: 'user', content: 'go' }];
  const old = isRecord(functions) || Array.isArray(functions) ? { functions } : {};
  return { ...common, messages, ...(stream && { stream_options: { include_usage: true } }), ...old };
}

function toolFor({ name, custom, parameters }: NonNullable<Recording['tools']>[number], wire: SpokenWire): object {
  const type = custom === undefined ? 'function' : 'custom';
  const tool = custom === undefined ? { name, parameters } : { name: custom };
  return wire === 'chat' ? { type, [type]: tool } : { type, ...tool };
}
