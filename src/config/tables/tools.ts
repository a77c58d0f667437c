import { COUNT, checked, FLAG, oneOf, TOGGLE } from '../setting/kinds.ts';
import { readTable, setting, type ValuesOf } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';
import { type McpConfig, readMcp } from './mcp.ts';
import { readWebSearch, type WebSearchConfig } from './web-search.ts';

const APPLY_PATCH = checked(
  '"freeform", "function", true or false',
  (value): value is 'freeform' | 'function' | boolean =>
    value === 'freeform' || value === 'function' || typeof value === 'boolean',
);

export const TOOL_SETTINGS = {
  /**
   * [Tool](tools.md) that runs commands. `none`: the model can run no commands.
   * @default the one that the model knows best, mostly `exec_command`
   */
  command: setting(
    'tools.command',
    oneOf('exec_command', 'shell', 'shell_command', 'local_shell', 'unified_exec', 'none'),
  ),
  /**
   * Form of the outputs of `shell`, `shell_command` and `local_shell`.
   * @default each tool has its own
   */
  shellOutput: setting('tools.shell_output', oneOf('json', 'text')),
  /** Number of commands that may run at once in all threads of an agent. Each thread has at most 64. */
  maxTerminals: setting('tools.max_terminals', COUNT, { default: 256 }),
  /** Milliseconds that `write_stdin` waits at most for a running command when it types nothing. */
  maxPollMs: setting('background_terminal_max_timeout', COUNT, { default: 300_000 }),
  /** Whether the tool `update_plan` is on. A call of a tool that is off is refused. */
  updatePlan: setting('tools.update_plan', TOGGLE, { default: true, older: setting('include_plan_tool', FLAG) }),
  /**
   * Form in which the tool `apply_patch` is offered. `true`: the form that suits the model. `false`: the tool is off.
   * @default what suits the model
   */
  applyPatch: setting('tools.apply_patch', APPLY_PATCH, { older: setting('include_apply_patch_tool', FLAG) }),
  /**
   * Whether the tool `view_image` is offered.
   * @default to models that accept images
   */
  viewImage: setting('tools.view_image', TOGGLE, { older: setting('include_view_image_tool', FLAG) }),
};

export const TOOL_OUTPUT_SETTINGS = {
  /**
   * Number of tokens of one output that the model gets.
   * @default the limit of the model
   */
  toolOutputTokenLimit: setting('tool_output_token_limit', COUNT),
};

/** Tools that the model is offered, and how they answer. Null: what suits the server and the model. */
export interface ToolsConfig extends ValuesOf<typeof TOOL_SETTINGS> {
  readonly webSearch: WebSearchConfig;
  readonly mcp: McpConfig;
}

export function readTools(reader: SettingsReader): ToolsConfig {
  return { ...readTable(TOOL_SETTINGS, reader), webSearch: readWebSearch(reader), mcp: readMcp(reader) };
}
