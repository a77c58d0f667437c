import type { PrefixRule, RuleDecision } from '../../base/policy.ts';
import { matchesPrefix } from '../../shell/prefix-match.ts';
import { parseCalls, type RuleCall, type RuleValue } from './parse-calls.ts';
import { splitWords } from './split-words.ts';
import { rulesFault } from './tokenize.ts';

/** Rules of a rules file. */
export interface Rules {
  readonly prefixRules: readonly PrefixRule[];
  /** Paths of programs by their names. */
  readonly executables: Readonly<Record<string, readonly string[]>>;
  readonly networkRules: readonly NetworkRule[];
}

/** Rule about a host that may be reached or not. */
export interface NetworkRule {
  readonly host: string;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly decision: RuleDecision;
  readonly justification?: string;
}

const PROTOCOLS = ['http', 'https', 'socks5_tcp', 'socks5_udp'] as const;
const DECISIONS = ['allow', 'prompt', 'forbidden'] as const;

/**
 * Parses a `.rules` file. The examples of its rules are checked: a rule that does not match its examples is an error.
 * Throws `UserError` that names file and line.
 */
export function parseRules(text: string, file: string): Rules {
  const prefixRules: PrefixRule[] = [];
  const executables = new Map<string, readonly string[]>();
  const networkRules: NetworkRule[] = [];
  for (const call of parseCalls(text, file)) {
    const read = reader(call, file);
    if (call.name === 'prefix_rule') prefixRules.push(readPrefixRule(read));
    else if (call.name === 'host_executable') executables.set(...readExecutable(read));
    else if (call.name === 'network_rule') networkRules.push(readNetworkRule(read));
    else throw rulesFault(file, call.line, `there is no rule ${call.name}: ${KNOWN}.`);
    read.done();
  }
  return { prefixRules, executables: Object.fromEntries(executables), networkRules };
}

const KNOWN = 'prefix_rule, host_executable and network_rule are known';

/** Reader of the arguments of one call. An argument that is never read is a mistake. */
interface Reader {
  string(name: string): string | undefined;
  list(name: string): readonly RuleValue[] | undefined;
  oneOf<const T extends string>(name: string, values: readonly T[]): T | undefined;
  required<T>(name: string, value: T | undefined): T;
  fault(name: string, fault: string): Error;
  done(): void;
}

function reader({ name: rule, line, args }: RuleCall, file: string): Reader {
  const asked = new Set<string>();
  const at = (name: string) => {
    asked.add(name);
    return args.get(name)?.value;
  };
  const fault = (name: string, text: string) => rulesFault(file, args.get(name)?.line ?? line, `${rule}: ${text}`);
  const string = (name: string) => {
    const value = at(name);
    if (value === undefined || typeof value === 'string') return value;
    throw fault(name, `${name} must be a string.`);
  };
  return {
    string,
    fault,
    list(name) {
      const value = at(name);
      if (typeof value === 'string') throw fault(name, `${name} must be a list.`);
      return value;
    },
    oneOf(name, values) {
      const value = string(name);
      const found = values.find((one) => one === value);
      if (value !== undefined && found === undefined)
        throw fault(name, `${name} must be one of ${values.join(', ')}, not ${JSON.stringify(value)}.`);
      return found;
    },
    required(name, value) {
      if (value === undefined) throw fault(name, `${name} is missing.`);
      return value;
    },
    done() {
      for (const name of args.keys()) if (!asked.has(name)) throw fault(name, `there is no argument ${name}.`);
    },
  };
}

function readPrefixRule(read: Reader): PrefixRule {
  const pattern = read.required('pattern', read.list('pattern')).map((word) => readPatternWord(read, word));
  if (pattern.length === 0) throw read.fault('pattern', 'pattern must have at least one word.');
  for (const name of ['match', 'not_match'] as const) {
    for (const example of read.list(name) ?? []) {
      const words = readExample(read, name, example);
      if (matchesPrefix(words, pattern) === (name === 'match')) continue;
      const does = name === 'match' ? 'does not match' : 'matches';
      throw read.fault(name, `the example ${JSON.stringify(words.join(' '))} of ${name} ${does} the pattern.`);
    }
  }
  return { pattern, decision: read.oneOf('decision', DECISIONS) ?? 'allow', ...readJustification(read) };
}

function readPatternWord(read: Reader, word: RuleValue): string | readonly string[] {
  if (typeof word === 'string') return word;
  const choices = word.filter((choice) => typeof choice === 'string');
  if (choices.length === 0 || choices.length < word.length)
    throw read.fault('pattern', 'what stands for one word must be a string, or a list of strings to choose from.');
  return choices;
}

function readExample(read: Reader, name: string, example: RuleValue): readonly string[] {
  const words = typeof example === 'string' ? splitWords(example) : example.filter((word) => typeof word === 'string');
  if (words === undefined || words.length === 0 || (typeof example !== 'string' && words.length < example.length))
    throw read.fault(name, `${name} must hold commands: strings, or lists of words.`);
  return words;
}

function readJustification(read: Reader): { justification?: string } {
  const justification = read.string('justification');
  if (justification === undefined) return {};
  if (justification.trim() === '') throw read.fault('justification', 'justification must not be empty.');
  return { justification };
}

function readExecutable(read: Reader): [string, readonly string[]] {
  const name = read.required('name', read.string('name'));
  if (name === '' || name.includes('/'))
    throw read.fault('name', 'name must be the name of a program, without a path.');
  const paths = read.required('paths', read.list('paths')).map((path) => {
    if (typeof path === 'string' && path.startsWith('/') && path.endsWith(`/${name}`)) return path;
    throw read.fault('paths', `paths must be absolute and end in /${name}.`);
  });
  return [name, paths];
}

function readNetworkRule(read: Reader): NetworkRule {
  const host = read.required('host', read.string('host'));
  if (!/^[\p{L}\p{N}._:[\]-]+$/u.test(host))
    throw read.fault('host', 'host must be the name or address of one host, without protocol, path or *.');
  const decision = read.required('decision', read.oneOf('decision', [...DECISIONS, 'deny']));
  return {
    host: host.toLowerCase(),
    protocol: read.required('protocol', read.oneOf('protocol', PROTOCOLS)),
    decision: decision === 'deny' ? 'forbidden' : decision,
    ...readJustification(read),
  };
}
