import type { AgentOptions } from '../app/agent-options.ts';
import { toOverrides } from '../app/options/to-overrides.ts';
import { isSecretVariable } from '../base/secret-variable.ts';
import type { ThreadParameters } from './read-input.ts';

/**
 * Returns the options of the agent for a thread. The parameters of a call become settings in the same way as the flags
 * of the command line, and beat those of `base`.
 */
export function threadAgentOptions(base: AgentOptions, parameters: ThreadParameters): AgentOptions {
  const { profile, cwd, config = {} } = parameters;
  return {
    ...base,
    overrides: [...(base.overrides ?? []), ...overridesOf(config)],
    settings: { ...base.settings, ...settingsOf(parameters) },
    ...(profile === undefined ? {} : { profile }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function settingsOf(parameters: ThreadParameters): NonNullable<AgentOptions['settings']> {
  const { model, approvalPolicy, sandbox, developerInstructions, compactPrompt, toolsWebSearchRequest } = parameters;
  const tools = toolSettings(parameters);
  return {
    ...(model === undefined ? {} : { model }),
    ...(approvalPolicy === undefined ? {} : { approval_policy: approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox_mode: sandbox }),
    ...(developerInstructions === undefined ? {} : { developer_instructions: developerInstructions }),
    ...(compactPrompt === undefined ? {} : { compact_prompt: compactPrompt }),
    ...(toolsWebSearchRequest === undefined ? {} : { web_search: toolsWebSearchRequest ? 'live' : 'disabled' }),
    ...(Object.keys(tools).length === 0 ? {} : { tools }),
  };
}

function toolSettings({ includePlanTool, includeApplyPatchTool, includeViewImageTool }: ThreadParameters) {
  return {
    ...(includePlanTool === undefined ? {} : { update_plan: includePlanTool }),
    ...(includeApplyPatchTool === undefined ? {} : { apply_patch: includeApplyPatchTool }),
    ...(includeViewImageTool === undefined ? {} : { view_image: includeViewImageTool }),
  };
}

/** Returns settings as `key=value` overrides. Keys may be dotted, as in Codex. A setting that is null is not set. */
function overridesOf(config: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(config).flatMap(([key, value]) => {
    const path = /^[\w-]+(\.[\w-]+)*$/.test(key) ? key.split('.') : [key];
    return value === null ? [] : toOverrides({ [path.at(-1) ?? key]: value }, path.slice(0, -1));
  });
}

/** The most characters of parameters that are kept. Metadata of threads has a limit of its own. */
const MOST_KEPT = 12_000;

/**
 * Returns the parameters of a thread as a text that is kept with it, so that a reply after a restart works under the same
 * settings. Settings that look like credentials are left out. Undefined if the text would be too long.
 */
export function keptParameters(parameters: ThreadParameters): string | undefined {
  const { baseInstructions: _, ...rest } = parameters;
  const text = JSON.stringify(rest, (name, value: unknown) => (isCredential(name, value) ? undefined : value));
  return text.length > MOST_KEPT ? undefined : text;
}

/** Reports whether a setting holds a credential. Settings such as `env_key` hold only the name of a variable. */
function isCredential(name: string, value: unknown): boolean {
  return typeof value === 'string' && !/env/i.test(name) && isSecretVariable(name, value);
}
