import { parseArgs } from 'node:util';
import { UserError } from '../base/errors.ts';
import { nearestName } from '../config/nearest-name.ts';
import { printable } from '../text/visible.ts';

/** Error in the command line. Exit code 2. */
export class UsageError extends UserError {
  override readonly exitCode = 2;

  constructor(message: string) {
    super('invalid_input', message);
  }
}

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: true;
  /** Name of the value in the help. */
  readonly value?: string;
  /** The only values that it takes. */
  readonly values?: readonly string[];
  /** Line for the help. An option without it is accepted but not shown. */
  readonly help?: string;
}

export type OptionTable = Readonly<Record<string, Option>>;

type Value<O extends Option> = O['type'] extends 'boolean' ? boolean : O extends { multiple: true } ? string[] : string;

export interface Parsed<T extends OptionTable> {
  readonly values: { readonly [K in keyof T]?: Value<T[K]> };
  readonly positionals: readonly string[];
}

/** Reads options from a command line. Throws `UsageError`. */
export function parseOptions<const T extends OptionTable>(
  command: string,
  table: T,
  argv: readonly string[],
): Parsed<T> {
  const parsed = parse(command, table, argv);
  for (const [name, { values }] of Object.entries<Option>(table)) {
    const given = parsed.values[name];
    if (values && typeof given === 'string' && !values.includes(given))
      throw new UsageError(
        `--${name} takes ${values.slice(0, -1).join(', ')} or ${values.at(-1)}, not "${given}".${didYouMean(given, values)}`,
      );
  }
  return parsed;
}

/** Returns a question about the name that was probably meant, after a space. Empty if no name is near. */
export function didYouMean(name: string, names: Iterable<string>, before = ''): string {
  const meant = nearestName(name, names);
  return meant === undefined ? '' : ` Did you mean ${before}${meant}?`;
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];
type OptionToken = Extract<Token, { kind: 'option' }>;

/** Reads a command line. Each mistake gets a sentence of ours: the reader of Node has words for programmers. */
function parse<const T extends OptionTable>(command: string, table: T, argv: readonly string[]): Parsed<T> {
  const { tokens } = parseArgs({
    args: [...argv],
    options: table,
    allowPositionals: true,
    strict: false,
    tokens: true,
  }) as { tokens: Token[] };
  const values: { [name: string]: unknown } = {};
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (option === undefined) throw unknownOption(command, table, token);
    const value = option.type === 'boolean' ? readSwitch(command, token) : readValue(command, option, token);
    const before = values[token.name];
    values[token.name] =
      option.multiple && typeof value === 'string' ? [...(Array.isArray(before) ? before : []), value] : value;
  }
  const positionals = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  return { values: values as Parsed<T>['values'], positionals };
}

function unknownOption(command: string, table: OptionTable, { name, rawName }: OptionToken): UsageError {
  const meant = rawName.startsWith('--') ? didYouMean(name, Object.keys(table), '--') : '';
  return new UsageError(printable(`Unknown option '${rawName}'.${meant} ${seeHelp(command)}`));
}

function readSwitch(command: string, { rawName, value }: OptionToken): true {
  if (value === undefined) return true;
  throw new UsageError(printable(`${rawName} takes no value, not even "${value}". ${seeHelp(command)}`));
}

function readValue(command: string, option: Option, { rawName, value, inlineValue }: OptionToken): string {
  const name = `${rawName} ${option.value ?? 'VALUE'}`;
  if (value === undefined) throw new UsageError(`The value of ${name} is missing. ${seeHelp(command)}`);
  if (!inlineValue && value.length > 1 && value.startsWith('-')) {
    const joined = rawName.startsWith('--') ? `${rawName}=${value}` : `${rawName}${value}`;
    throw new UsageError(
      printable(`The value of ${name} is missing before ${value}. If ${value} is the value, write ${joined}.`),
    );
  }
  // Codex accepts an equals sign after a short option too.
  return inlineValue && !rawName.startsWith('--') ? value.replace(/^=/, '') : value;
}

/** Returns where the options of a command are listed. The terminal is a command without a name. */
function seeHelp(command: string): string {
  return command === '' ? 'See oxbow --help.' : `See oxbow ${command} --help.`;
}

/** Reads a whole number above zero from the value of an option. */
export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new UsageError(`--${option} takes a whole number above zero, not "${text}".`);
  return value;
}

/** Reads an amount of US dollars above zero. */
export function amount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\$?(\d+(?:\.\d+)?|\.\d+)$/.exec(text)?.[1];
  if (!(Number(value) > 0)) throw new UsageError(`--${option} takes US dollars, such as 0.50, not "${text}".`);
  return Number(value);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Reads a duration such as 90, 90s, 10m or 1h. Returns milliseconds. */
export function duration(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = Number(digits) * (UNIT_MS[unit] ?? Number.NaN);
  if (!(ms > 0 && ms <= LONGEST_TIMER_MS))
    throw new UsageError(`--${option} takes a duration such as 90s, 10m or 1h, not "${text}".`);
  return ms;
}
