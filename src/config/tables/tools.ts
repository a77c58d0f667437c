import { wrongValue } from '../setting/layers.ts';
import type { Settings } from '../setting/settings-reader.ts';
import { readWebSearch, type WebSearchConfig } from './web-search.ts';

/** `[tools]`: what the model is offered, and how tools answer. Null: what suits the server and the model. */
export interface ToolsConfig {
  /** Which tool runs commands. */
  readonly command: CommandToolName | null;
  /** How the tools answer that run a command to its end. Null: each in its own form. */
  readonly shellOutput: 'json' | 'text' | null;
  /** As a free text, as a function with one parameter, or not at all; true: in the form that suits the model. */
  readonly applyPatch: 'freeform' | 'function' | boolean | null;
  readonly viewImage: boolean | null;
  readonly updatePlan: boolean;
  readonly webSearch: WebSearchConfig;
  /** The longest that a call may wait for a running command when it types nothing. */
  readonly maxPollMs: number;
  /** How many commands may run at once in all threads of an agent. */
  readonly maxTerminals: number;
}

export type CommandToolName = (typeof COMMAND_TOOL_NAMES)[number];

const COMMAND_TOOL_NAMES = ['exec_command', 'shell', 'shell_command', 'local_shell', 'unified_exec'] as const;
const DEFAULT_MAX_POLL_MS = 300_000;
const DEFAULT_MAX_TERMINALS = 256;

export function readTools(settings: Settings): ToolsConfig {
  return {
    command: settings.oneOf(COMMAND_TOOL_NAMES, 'tools', 'command') ?? null,
    shellOutput: settings.oneOf(['json', 'text'], 'tools', 'shell_output') ?? null,
    applyPatch: readApplyPatch(settings),
    viewImage: settings.toggle('tools', 'view_image') ?? settings.boolean('include_view_image_tool') ?? null,
    updatePlan: settings.toggle('tools', 'update_plan') ?? settings.boolean('include_plan_tool') ?? true,
    webSearch: readWebSearch(settings),
    maxPollMs: settings.number('background_terminal_max_timeout') ?? DEFAULT_MAX_POLL_MS,
    maxTerminals: settings.number('tools', 'max_terminals') ?? DEFAULT_MAX_TERMINALS,
  };
}

function readApplyPatch(settings: Settings): ToolsConfig['applyPatch'] {
  const found = settings.found('tools', 'apply_patch');
  if (found === undefined) return settings.boolean('include_apply_patch_tool') ?? null;
  const { value } = found;
  if (value === 'freeform' || value === 'function' || typeof value === 'boolean') return value;
  throw wrongValue(['tools', 'apply_patch'], '"freeform", "function", true or false', found);
}
