import type { Tool } from '../base/tool.ts';
import { execCommand } from './exec-command/tool.ts';
import { shell } from './shell/tool.ts';
import { updatePlan } from './update-plan/tool.ts';
import { writeStdin } from './write-stdin/tool.ts';

/** Every built-in tool. Which of them the model is told about is chosen elsewhere; all are understood when called. */
export const builtInTools: readonly Tool[] = [execCommand, writeStdin, shell, updatePlan] as readonly Tool[];

/** Which tools run commands, by the name that `tools.command` in the config file gives. */
export const COMMAND_TOOLS = {
  exec_command: ['exec_command', 'write_stdin'],
  shell: ['shell'],
} as const satisfies Record<string, readonly string[]>;
