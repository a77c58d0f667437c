import { messageOf } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { Config } from '../../config/load-config.ts';
import type { RulesSource } from '../../config/sources.ts';
import { type NetworkRule, parseRules, type Rules } from '../../policy/rules/parse-rules.ts';
import { type RulesFile, readRulesFile, readRulesFolder } from '../../store/files/rules-file.ts';
import { rulesPaths } from '../../store/files/rules-paths.ts';
import type { LoadedRules } from './loaded-rules.ts';

/** Reads the configured rules. Throws `UserError` that names the place of a mistake in a trusted file. */
export function loadRules({ rules, home, cwd, project }: Config): LoadedRules {
  const own: RulesSource = { kind: 'file', path: rulesPaths(home, project.root ?? cwd).project, trusted: true };
  const sources = rules.ignored ? [] : [...rules.sources, ...(rules.hasProjects ? [own] : [])];
  const read = sources.map((source) => (source.trusted ? readTrusted(source, source === own) : readUntrusted(source)));
  const all = read.flatMap(({ files }) => files);
  return {
    rules: all.flatMap(({ prefixRules }) => prefixRules),
    executables: Object.assign({}, ...all.map(({ executables }) => executables)),
    networkRules: all.flatMap(({ networkRules }) => networkRules),
    notices: read.flatMap(({ notices }) => notices),
  };
}

interface ReadSource {
  readonly files: readonly Rules[];
  readonly notices: readonly string[];
}

function filesOf({ kind, path, text }: RulesSource): RulesFile[] {
  if (text !== undefined) return [{ path, text }];
  return kind === 'folder' ? readRulesFolder(path) : [readRulesFile(path)];
}

function readTrusted(source: RulesSource, mayBeMissing: boolean): ReadSource {
  const files = mayBeMissing ? readIfThere(source) : filesOf(source);
  return { files: files.map(({ text, path }) => parseRules(text, path)), notices: [] };
}

function readIfThere({ path }: RulesSource): RulesFile[] {
  const file = readRulesFile(path, { mayBeMissing: true });
  return file ? [file] : [];
}

/**
 * Reads the rules of a repository that the user did not accept. They may forbid and ask. They may neither allow a
 * command nor make the start fail.
 */
function readUntrusted(source: RulesSource): ReadSource {
  try {
    const files = filesOf(source).map(({ text, path }) => ({ path, rules: parseRules(text, path) }));
    const loose = files.filter(({ rules }) => isLoose(rules)).map(({ path }) => path);
    const notice = `Rules in ${loose.join(' and ')} that allow something were ignored, ${source.why}. Rules that ask or forbid still apply.`;
    const isTold = loose.length > 0 && source.why !== undefined;
    return { files: files.map(({ rules }) => tightened(rules)), notices: isTold ? [notice] : [] };
  } catch (error) {
    return { files: [], notices: [`Rules of the project that may only tighten were ignored: ${messageOf(error)}`] };
  }
}

function isLoose({ prefixRules, networkRules, executables }: Rules): boolean {
  return [...prefixRules, ...networkRules].some(({ decision }) => decision === 'allow') || !isEmpty(executables);
}

function tightened({ prefixRules, networkRules }: Rules): Rules {
  return {
    prefixRules: prefixRules.filter(({ decision }) => decision !== 'allow'),
    networkRules: networkRules.filter(({ decision }) => decision !== 'allow'),
    executables: {},
  };
}

const isEmpty = (table: object) => Object.keys(table).length === 0;

/** Returns a sandbox with the hosts that rules allow, and without the hosts that rules forbid or ask about. */
export function withNetworkRules(sandbox: SandboxPolicy, networkRules: readonly NetworkRule[]): SandboxPolicy {
  if (networkRules.length === 0) return sandbox;
  const hosts = (allowed: boolean) =>
    networkRules.filter(({ decision }) => (decision === 'allow') === allowed).map(({ host }) => host);
  const denied = new Set(hosts(false));
  const listed = [...new Set([...(sandbox.allowedDomains ?? []), ...hosts(true)])];
  const allowed = listed.filter((host) => !denied.has(host.toLowerCase()));
  // A pattern may match a denied host.
  const except = allowed.some((host) => host.includes('*')) ? [...denied].map((host) => `!${host}`) : [];
  return { ...sandbox, allowedDomains: [...allowed, ...except] };
}
