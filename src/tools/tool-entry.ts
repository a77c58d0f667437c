import type { Action } from '../base/action.ts';
import type { Tool, ToolSpec } from '../base/tool.ts';
import type { OutputForm } from './shell/run-to-end.ts';

/** A built-in tool, as the registry has it. */
export interface ToolEntry extends ToolFacts {
  /** Loads its code, with the first call: the first request need not wait for it. */
  load(): Promise<{ createTool(settings: ToolSettings): ToolCode }>;
}

/** The half of a tool that the first request needs: its name and its spec. */
export interface ToolFacts extends Pick<Tool, 'name' | 'aliases' | 'accepts' | 'spec' | 'parallel' | 'aborted'> {
  /** Returns whether the model is told about the tool, or the spec that it is told instead of `spec`. */
  offer(choice: ToolSelection): boolean | ToolSpec;
}

/** The other half, loaded with the first call. */
export type ToolCode<A extends Action = Action> = Pick<Tool<A>, 'plan' | 'run'>;

/** The built-in tools that are offered: those that the config asks for, or that suit the server and the model. */
export interface ToolSelection {
  /** The tool that runs commands. */
  readonly command: 'exec_command' | 'shell' | 'shell_command' | 'local_shell' | 'unified_exec';
  readonly updatePlan: boolean;
  readonly applyPatch: 'freeform' | 'function' | null;
  readonly viewImage: { readonly originalImages: boolean } | null;
  /** By a command, by the server, or not at all. */
  readonly webSearch: 'command' | HostedSearch | null;
}

/** A search that the server does itself. */
export interface HostedSearch {
  /** `cached`: pages that the server has stored. `indexed`: its index of the web. `live`: the web itself. */
  readonly mode: 'cached' | 'indexed' | 'live';
  readonly contextSize: string | null;
  readonly allowedDomains: readonly string[];
  readonly location: Readonly<Record<string, string>>;
}

export interface ToolSettings {
  /** The form of the output of commands that ran to their end. Each tool has its own by default. */
  readonly shellOutput: OutputForm | undefined;
  /** The longest that a call may wait for a running command when it types nothing. */
  readonly maxPollMs: number;
  /** Program and words, some of which hold `{query}`. */
  readonly searchCommand: readonly string[] | null;
  /** The working directory of the thread. */
  readonly cwd: string;
  /** Returns the name of the user that commands run as. */
  user(): string;
}
