import { UserError } from '../base/errors.ts';
import { isRecord } from '../base/json-schema.ts';

/** Input of the tool `codex`. */
export interface CodexToolInput extends ThreadParameters {
  readonly prompt: string;
}

/** Parameters of a thread, which are kept with it. */
export interface ThreadParameters {
  readonly model?: string;
  readonly profile?: string;
  readonly cwd?: string;
  readonly approvalPolicy?: (typeof APPROVAL_POLICIES)[number];
  readonly sandbox?: (typeof SANDBOX_MODES)[number];
  /** Settings of config.toml by their keys, which may be dotted. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly baseInstructions?: string;
  readonly developerInstructions?: string;
  readonly compactPrompt?: string;
  readonly includePlanTool?: boolean;
  readonly includeApplyPatchTool?: boolean;
  readonly includeViewImageTool?: boolean;
  readonly toolsWebSearchRequest?: boolean;
}

/** Input of the tool `codex-reply`. */
export interface ReplyInput {
  readonly prompt: string;
  readonly threadId: string;
  readonly baseInstructions?: string;
}

const APPROVAL_POLICIES = ['untrusted', 'on-failure', 'on-request', 'never'] as const;
const SANDBOX_MODES = ['read-only', 'workspace-write', 'danger-full-access'] as const;

/** The values that a parameter accepts. */
interface Kind {
  /** Completes the sentence "The parameter must be". */
  readonly words: string;
  fits(value: unknown): boolean;
}

const TEXT: Kind = { words: 'a string', fits: (value) => typeof value === 'string' };
const NAME: Kind = { words: 'a string that is not empty', fits: (value) => TEXT.fits(value) && value !== '' };
const FLAG: Kind = { words: 'true or false', fits: (value) => typeof value === 'boolean' };
const TABLE: Kind = { words: 'an object', fits: isRecord };

function oneOf(values: readonly string[]): Kind {
  return { words: `one of ${values.join(', ')}`, fits: (value) => values.some((one) => one === value) };
}

/** Parameters of `codex` by their names in kebab-case. */
const CODEX: Readonly<Record<string, Kind>> = {
  prompt: NAME,
  model: NAME,
  profile: NAME,
  cwd: NAME,
  'approval-policy': oneOf(APPROVAL_POLICIES),
  sandbox: oneOf(SANDBOX_MODES),
  config: TABLE,
  'base-instructions': TEXT,
  'developer-instructions': TEXT,
  'compact-prompt': TEXT,
  'include-plan-tool': FLAG,
  'include-apply-patch-tool': FLAG,
  'include-view-image-tool': FLAG,
  'tools-web-search-request': FLAG,
};

const REPLY: Readonly<Record<string, Kind>> = {
  prompt: NAME,
  'session-id': NAME,
  'conversation-id': NAME,
  'thread-id': NAME,
  'base-instructions': TEXT,
};

/**
 * Reads the input of `codex`. A parameter may be spelled in kebab-case, snake_case or camelCase, and one that is null
 * counts as absent. Other parameters are ignored. Throws `UserError` that names the parameter at fault.
 */
export function readCodexInput(input: unknown): CodexToolInput {
  const found = readParameters('codex', CODEX, input);
  if (found.prompt === undefined) throw missing('codex', 'prompt');
  return found as unknown as CodexToolInput;
}

/** Reads the input of `codex-reply` in the same way. The three names of the id are equal. */
export function readReplyInput(input: unknown): ReplyInput {
  const { prompt, sessionId, conversationId, threadId, baseInstructions } = readParameters('codex-reply', REPLY, input);
  if (prompt === undefined) throw missing('codex-reply', 'prompt');
  const ids = new Set([sessionId, conversationId, threadId].filter((id) => id !== undefined));
  if (ids.size === 0) throw missing('codex-reply', 'sessionId');
  if (ids.size > 1)
    throw wrong('The parameters sessionId, conversationId and threadId of codex-reply name different threads.');
  const [id] = ids;
  return { prompt, threadId: id, ...(baseInstructions === undefined ? {} : { baseInstructions }) } as ReplyInput;
}

/** Reads the parameters that were kept with a thread. Returns none where they cannot be read. */
export function readKeptParameters(text: string | undefined): ThreadParameters {
  try {
    return text === undefined ? {} : (readParameters('codex', CODEX, JSON.parse(text)) as ThreadParameters);
  } catch {
    return {};
  }
}

/** Returns the values of known parameters under their names in camelCase. */
function readParameters(
  tool: string,
  kinds: Readonly<Record<string, Kind>>,
  input: unknown,
): Readonly<Record<string, unknown>> {
  if (input !== undefined && !isRecord(input)) throw wrong(`The arguments of ${tool} must be an object.`);
  const known = new Map(Object.entries(kinds).map(([name, kind]) => [plain(name), { name, kind }]));
  const found: Record<string, unknown> = {};
  for (const [spelled, value] of Object.entries(input ?? {})) {
    const parameter = known.get(plain(spelled));
    if (parameter === undefined || value === undefined || value === null) continue;
    const { name, kind } = parameter;
    if (!kind.fits(value))
      throw wrong(`The parameter ${spelled} of ${tool} must be ${kind.words}, not ${shown(value)}.`);
    found[camel(name)] = value;
  }
  return found;
}

/** Returns a name without the signs by which its spellings differ. */
function plain(name: string): string {
  return name.replaceAll(/[-_]/g, '').toLowerCase();
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

const MOST_SHOWN = 60;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

function missing(tool: string, name: string): UserError {
  return wrong(`The parameter ${name} of ${tool} is missing.`);
}

function wrong(message: string): UserError {
  return new UserError('invalid_input', message);
}
