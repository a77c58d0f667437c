import type { Action } from '../base/action.ts';
import type { BuiltInTool, Tool, ToolSpec } from '../base/tool.ts';
import type { OutputForm } from './shell/run-to-end.ts';

/** A built-in tool in the registry. */
export interface ToolEntry extends ToolFacts {
  readonly kind: BuiltInTool;
  /** Loads the code of the tool at its first call. The first request does not wait for it. */
  load(): Promise<{ createTool(settings: ToolSettings): ToolCode }>;
}

/** The half of a tool that the first request needs: its name and its spec. */
export interface ToolFacts extends Pick<Tool, 'name' | 'aliases' | 'accepts' | 'spec' | 'parallel' | 'aborted'> {
  /** Returns whether to offer the tool, or the spec to offer instead of `spec`. */
  offer(choice: ToolSelection): boolean | ToolSpec;
}

/** The other half of a tool, loaded at its first call. */
export type ToolCode<A extends Action = Action> = Pick<Tool<A>, 'plan' | 'run'>;

/** The offered built-in tools: those that the config asks for, or that suit the server and the model. */
export interface ToolSelection {
  /** Tool that runs commands. */
  readonly command: 'none' | 'exec_command' | 'shell' | 'shell_command' | 'local_shell' | 'unified_exec';
  readonly updatePlan: boolean;
  readonly applyPatch: 'freeform' | 'function' | null;
  readonly viewImage: { readonly originalImages: boolean } | null;
  /** Search by a command, by the server, or null for none. */
  readonly webSearch: 'command' | HostedSearch | null;
}

/** A search that the server runs itself. */
export interface HostedSearch {
  /** `cached`: pages that the server has stored. `indexed`: its index of the web. `live`: the web itself. */
  readonly mode: 'cached' | 'indexed' | 'live';
  readonly contextSize: string | null;
  readonly allowedDomains: readonly string[];
  readonly location: Readonly<Record<string, string>>;
}

export interface ToolSettings {
  /** Form of the output of commands that ran to their end. Each tool has its own default. */
  readonly shellOutput: OutputForm | undefined;
  /** Longest time that a call may wait for a running command without typing. */
  readonly maxPollMs: number;
  /** Program and arguments, some of which contain `{query}`. */
  readonly searchCommand: readonly string[] | null;
  /** Working directory of the thread. */
  readonly cwd: string;
  /** Returns the name of the user that commands run as. */
  user(): string;
}
