import { readdirSync } from 'node:fs';
import { homeCatalogue } from '../../app/threads/home-catalogue.ts';
import type { ThreadSummary } from '../../app/threads/threads.ts';
import { isRecord } from '../../base/json-schema.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load-config.ts';
import { readUserLayers } from '../../config/read-sources.ts';
import { readTomlFile } from '../../config/read-toml-file.ts';
import { findTimezone } from '../../config/timezone.ts';
import { printable } from '../../text/visible.ts';
import type { Listed } from '../format-help.ts';

/** A word that a shell may offer. */
interface Candidate {
  readonly text: string;
  /** Text that some shells show next to the word. */
  readonly about: string;
}

/** Threads whose files are opened. A shell waits for the answer. */
const MOST_THREADS = 100;

const LONGEST_ABOUT = 60;

const READERS: Readonly<Record<Listed, (word: string) => Promise<readonly Candidate[]>>> = {
  threads: (word) => threads(word, false),
  archived: (word) => threads(word, true),
  profiles: async () => profileNames().map((text) => ({ text, about: 'profile' })),
  models: async () => modelNames().map((text) => ({ text, about: 'model' })),
  providers: async () => providerNames(),
};

/**
 * Returns lines with the words of one kind that begin with `word`, each with a tab and a text about it. Loads no agent.
 * A home that cannot be read has no words: a shell has no place for an error.
 */
export async function candidateLines(kind: string, word: string): Promise<string> {
  const read = Object.hasOwn(READERS, kind) ? READERS[kind as Listed] : undefined;
  const found = (await read?.(word).catch(() => [])) ?? [];
  const fitting = found.filter(({ text }) => text.startsWith(word) && isOneWord(text));
  const once = new Map(fitting.map(({ text, about }) => [text, about]));
  return [...once].map(([text, about]) => `${text}\t${shorten(about)}\n`).join('');
}

/** Reports whether a line can have the text, and a terminal can show it. */
function isOneWord(text: string): boolean {
  return text !== '' && !/[\t\n]/.test(text) && printable(text) === text;
}

/** Returns the newest threads of this folder. If none of them fits, those of other folders. */
async function threads(word: string, archived: boolean): Promise<readonly Candidate[]> {
  const catalogue = homeCatalogue({ home: findHome(process.env), timezone: findTimezone(process.env) });
  const cwd = process.cwd();
  const here: Candidate[] = [];
  const elsewhere: Candidate[] = [];
  for await (const thread of catalogue.list({ archived, limit: MOST_THREADS }))
    (thread.cwd === cwd ? here : elsewhere).push(...namesOf(thread));
  return here.some(({ text }) => text.startsWith(word)) ? here : elsewhere;
}

function namesOf({ id, name, preview }: ThreadSummary): Candidate[] {
  const byId = { text: id, about: name ?? preview ?? '' };
  return name === null || name === '' ? [byId] : [{ text: name, about: preview ?? '' }, byId];
}

function profileNames(): string[] {
  const tables = userTables().flatMap(({ profiles }) => (isRecord(profiles) ? Object.keys(profiles) : []));
  return [...tables, ...profileFiles().map((file) => file.slice(0, -PROFILE_ENDING.length))];
}

/** Returns the models that config.toml and its profiles name. */
function modelNames(): string[] {
  const home = findHome(process.env);
  const files = profileFiles().flatMap((file) => readTomlFile(`${home}/${file}`).map(({ table }) => table));
  const own = userTables();
  const profiles = own.flatMap((table) => (isRecord(table.profiles) ? Object.values(table.profiles) : []));
  return [...own, ...profiles, ...files]
    .filter(isRecord)
    .flatMap((table) => [table.model, table.review_model])
    .filter((model) => typeof model === 'string');
}

/** Returns the built-in providers and those of the user, with their names. */
async function providerNames(): Promise<readonly Candidate[]> {
  const { listProviders } = await import('../../app/commands/list-providers.ts');
  return listProviders(loadConfig()).map(({ id, name }) => ({ text: id, about: name }));
}

const PROFILE_ENDING = '.config.toml';

function profileFiles(): string[] {
  return readdirSync(findHome(process.env)).filter((name) => name.endsWith(PROFILE_ENDING));
}

function userTables(): Readonly<Record<string, unknown>>[] {
  return readUserLayers(findHome(process.env)).map(({ table }) => table);
}

function shorten(text: string): string {
  return printable(text.replace(/\s+/g, ' ').slice(0, LONGEST_ABOUT));
}
