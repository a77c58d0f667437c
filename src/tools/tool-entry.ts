import type { Action } from '../base/action.ts';
import type { Tool, ToolSpec } from '../base/tool.ts';
import type { OutputForm } from './shell/run-to-end.ts';

/** A built-in tool, as the registry has it. */
export interface ToolEntry extends ToolFacts {
  /** Loads its code, with the first call: the first request need not wait for it. */
  load(): Promise<{ createTool(settings: ToolSettings): ToolCode }>;
}

/** What must be known of a tool before it is first called. */
export interface ToolFacts extends Pick<Tool, 'name' | 'aliases' | 'accepts' | 'spec' | 'parallel' | 'aborted'> {
  /** Whether the model is told about the tool: by its spec, or by another one that is returned. */
  offer(choice: ToolChoice): boolean | ToolSpec;
}

/** What is needed when it is called. */
export type ToolCode<A extends Action = Action> = Pick<Tool<A>, 'plan' | 'run'>;

/** The choices among built-in tools, by what the config asks for and what suits the server and the model. */
export interface ToolChoice {
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
  /** What the server may look at: what it has stored, its index of the web, the web itself. */
  readonly mode: 'cached' | 'indexed' | 'live';
  readonly contextSize: string | null;
  readonly allowedDomains: readonly string[];
  readonly location: Readonly<Record<string, string>>;
}

export interface ToolSettings {
  /** How commands that ran to their end are told of, unless by each tool in its own way. */
  readonly shellOutput: OutputForm | undefined;
  /** The longest that a call may wait for a running command when it types nothing. */
  readonly maxPollMs: number;
  /** Program and words, some of which hold `{query}`. */
  readonly searchCommand: readonly string[] | null;
  /** Of the thread. */
  readonly cwd: string;
  /** As whom commands run. */
  user(): string;
}
