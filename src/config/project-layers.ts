import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { type SortedFiles, sortProjectFiles } from './accepted-files.ts';
import { withoutBarredKeys } from './barred-keys.ts';
import type { TrustLevel } from './project.ts';
import type { ProjectFolders } from './project-folders.ts';
import { onlyLimits, withoutLooserSettings } from './project-limits.ts';
import { type ProjectFile, readProjectFiles, readProjectText } from './project-record.ts';
import { tomlLayer } from './read-toml-file.ts';
import { keyText } from './setting/key-text.ts';
import type { Layer } from './setting/layers.ts';
import type { RulesSource } from './sources.ts';

export interface ProjectFacts {
  readonly folders: ProjectFolders;
  /** Root of the project; the working folder outside projects. */
  readonly root: string;
  readonly trust: TrustLevel;
  /** Main worktree that a linked worktree has its trust from. */
  readonly main: string | undefined;
  readonly home: string;
  /** Words that begin a command which accepts the files of a project, for messages. */
  readonly accept?: string | undefined;
}

/** Settings and rules that a project brings along. */
interface ProjectLayers {
  readonly layers: readonly Layer[];
  readonly rules: readonly RulesSource[];
  readonly warnings: readonly string[];
}

/**
 * Reads the settings and finds the rules that a project brings along. They count only if the user trusts the project.
 * Even then they may make the settings about commands in `below` stricter, never looser. A file that the user has not
 * accepted may do nothing else, and neither may a file below the root, which commands can write.
 */
export function readProjectLayers(facts: ProjectFacts, below: readonly Layer[]): ProjectLayers {
  return facts.trust === 'trusted' ? readTrusted(facts, below) : readUntrusted(facts);
}

function readUntrusted({ folders, root, trust, home, accept }: ProjectFacts): ProjectLayers {
  const all = [...folders.atRoot, ...folders.below];
  const files = all.map((folder) => join(folder, 'config.toml')).filter((path) => existsSync(path));
  const rules = rulesFolders(all, 'because the project is not trusted');
  // A user who marked the folder as untrusted knows that its files are ignored.
  if (files.length === 0 || trust === 'untrusted') return { layers: [], rules, warnings: [] };
  const heading = `[${keyText(['projects', root])}]`;
  const entry = `To trust it, add ${heading} with trust_level = "trusted" to ${join(home, 'config.toml')}.`;
  const advice = accept === undefined ? entry : `To see and trust it: ${accept} ${quoted(root)}`;
  const warning = `The settings in ${files.join(' and ')} were ignored, because the project is not trusted. ${advice}`;
  return { layers: [], rules, warnings: [warning] };
}

function readTrusted({ folders, root, main, home, accept }: ProjectFacts, below: readonly Layer[]): ProjectLayers {
  const userFile = join(home, 'config.toml');
  const files = sortProjectFiles(readProjectFiles(root, folders.atRoot), { home, root, main });
  const free = withoutBarredKeys(
    files.accepted.filter(isSettings).map(({ text, path }) => tomlLayer(text ?? '', path)),
    userFile,
  );
  const deeper = folders.below.map((folder) => join(folder, 'config.toml')).filter((path) => existsSync(path));
  const strict = [
    ...files.pending.filter(isSettings).map(({ path, text }) => readStrict(path, text)),
    ...deeper.map((path) => readStrict(path, readProjectText(path))),
  ];
  const tight = withoutLooserSettings([...free.layers, ...strict.flatMap(({ layers }) => layers)], below, userFile);
  return {
    layers: tight.layers,
    rules: [
      ...files.accepted.filter((file) => !isSettings(file)).map((file) => rulesFile(file, true)),
      ...files.pending.filter((file) => !isSettings(file)).map((file) => rulesFile(file, false)),
      ...rulesFolders(folders.below, 'because only rules at the root of the project may do that'),
    ],
    warnings: [
      ...pendingWarning(files, root, accept),
      ...free.warnings,
      ...strict.flatMap(({ warnings }) => warnings),
      ...tight.warnings,
    ],
  };
}

const isSettings = ({ name }: ProjectFile) => name.endsWith('.toml');

/** Returns one sentence about all files that may only tighten, or none. */
function pendingWarning({ pending, unrecorded }: SortedFiles, root: string, accept: string | undefined): string[] {
  if (pending.length === 0) return [];
  const paths = pending.map(({ path }) => path).join(' and ');
  if (unrecorded !== undefined)
    return [`${paths} can only tighten, because your trust in the project cannot be recorded: ${unrecorded}.`];
  const advice = accept === undefined ? '' : ` To see the difference and accept it: ${accept} ${quoted(root)}`;
  return [`${paths} can only tighten: new or changed since you trusted the project.${advice}`];
}

const quoted = (path: string) => (/^[\w./~@%+=:,-]+$/.test(path) ? path : JSON.stringify(path));

/** Reads a file that may only tighten. Its other settings are ignored with a warning, and so are its mistakes. */
function readStrict(path: string, text: string | null): { readonly layers: Layer[]; readonly warnings: string[] } {
  if (text === null) return { layers: [], warnings: [`${path} was ignored: it is not a file that can be read.`] };
  try {
    const { layer, others } = onlyLimits(tomlLayer(text, path));
    const ignored = `${others.join(', ')} in ${path} had no effect: this file can only tighten.`;
    return { layers: [layer], warnings: others.length === 0 ? [] : [ignored] };
  } catch (error) {
    return { layers: [], warnings: [`The settings in a file that can only tighten were ignored: ${messageOf(error)}`] };
  }
}

function rulesFile({ path, text }: ProjectFile, trusted: boolean): RulesSource {
  return { kind: 'file', path, trusted, ...(text === null ? {} : { text }) };
}

function rulesFolders(folders: readonly string[], why: string): RulesSource[] {
  const paths = folders.map((folder) => join(folder, 'rules')).filter((path) => existsSync(path));
  return paths.map((path) => ({ kind: 'folder', path, trusted: false, why }));
}
