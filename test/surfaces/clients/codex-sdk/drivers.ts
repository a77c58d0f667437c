import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../../../src/base/errors.ts';
import type { JsonEvent } from '../../../harness/json-lines.ts';
import { PROGRAM } from '../../../harness/run-oxbow.ts';

type Input = { readonly type: 'text'; readonly text: string } | { readonly type: 'local_image'; readonly path: string };

/** Options of a thread that the SDK has. */
export interface SdkThreadOptions {
  readonly model?: string;
  readonly threadSource?: string;
  readonly sandboxMode?: string;
  readonly workingDirectory?: string;
  readonly skipGitRepoCheck?: boolean;
  readonly additionalDirectories?: readonly string[];
  readonly modelReasoningEffort?: string;
  readonly networkAccessEnabled?: boolean;
  readonly webSearchMode?: string;
  readonly webSearchEnabled?: boolean;
  readonly approvalPolicy?: string;
}

/** One turn as a program asks the SDK for it. */
export interface SdkTurn {
  readonly input: string | readonly Input[];
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Settings, each as a key with dots and a value in TOML. */
  readonly config: readonly (readonly [key: string, value: string])[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly thread: SdkThreadOptions & { readonly workingDirectory: string };
  readonly threadId?: string;
  readonly outputSchema?: object;
  readonly cyberAccessProgram?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: JsonEvent) => void;
}

export interface SdkResult {
  readonly events: readonly JsonEvent[];
  /** Message of the error that the SDK throws at the end of the events. */
  readonly error?: string;
}

export type SdkDriver = (turn: SdkTurn) => Promise<SdkResult>;

/** Starts the program with the flags and variables that the SDK passes. */
export const ownDriver: SdkDriver = async (turn) => {
  const schema = turn.outputSchema && join(turn.env.CODEX_HOME ?? '', 'schema.json');
  if (schema) writeFileSync(schema, JSON.stringify(turn.outputSchema));
  const key = turn.apiKey === undefined ? {} : { CODEX_API_KEY: turn.apiKey };
  const env = { CODEX_INTERNAL_ORIGINATOR_OVERRIDE: 'codex_sdk_ts', ...turn.env, ...key };
  const events: JsonEvent[] = [];
  const printed: Buffer[] = [];
  const child = spawn(PROGRAM, flagsOf(turn, schema), { env, cwd: turn.thread.workingDirectory, signal: turn.signal });
  const ended = once(child, 'close');
  // An abort is reported here, perhaps before the output ends.
  ended.catch(() => {});
  child.stdin.on('error', () => {}).end(promptOf(turn.input));
  child.stderr.on('data', (chunk: Buffer) => void printed.push(chunk));
  const read = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line) as JsonEvent;
      events.push(event);
      turn.onEvent?.(event);
    }
  })();
  try {
    await read;
    const [code, signal] = await ended;
    const stderr = Buffer.concat(printed).toString();
    return code === 0 ? { events } : { events, error: `ended with ${signal ?? code}: ${stderr}` };
  } catch (error) {
    return { events, error: messageOf(error) };
  } finally {
    if (schema) rmSync(schema);
  }
};

function flagsOf({ config, baseUrl, thread, threadId, input, cyberAccessProgram }: SdkTurn, schema?: string): string[] {
  const settings = [
    ...config,
    ...(baseUrl === undefined ? [] : [['openai_base_url', JSON.stringify(baseUrl)]]),
    ...(thread.modelReasoningEffort ? [['model_reasoning_effort', `"${thread.modelReasoningEffort}"`]] : []),
    ...(thread.networkAccessEnabled === undefined
      ? []
      : [['sandbox_workspace_write.network_access', String(thread.networkAccessEnabled)]]),
    ...(webSearch(thread) === undefined ? [] : [['web_search', `"${webSearch(thread)}"`]]),
    ...(thread.approvalPolicy ? [['approval_policy', `"${thread.approvalPolicy}"`]] : []),
  ];
  const images =
    typeof input === 'string' ? [] : input.flatMap((one) => (one.type === 'local_image' ? [one.path] : []));
  const flag = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return [
    ...['exec', '--experimental-json'],
    ...settings.flatMap(([key, value]) => ['--config', `${key}=${value}`]),
    ...flag('--model', thread.model),
    ...(threadId === undefined ? flag('--thread-source', thread.threadSource) : []),
    ...flag('--sandbox', thread.sandboxMode),
    ...flag('--cd', thread.workingDirectory),
    ...(thread.additionalDirectories ?? []).flatMap((path) => ['--add-dir', path]),
    ...(thread.skipGitRepoCheck ? ['--skip-git-repo-check'] : []),
    ...flag('--output-schema', schema),
    ...flag('--cyber-access-program', cyberAccessProgram),
    ...(threadId === undefined ? [] : ['resume', threadId]),
    ...images.flatMap((path) => ['--image', path]),
  ];
}

function webSearch({ webSearchMode, webSearchEnabled }: SdkThreadOptions): string | undefined {
  if (webSearchMode !== undefined || webSearchEnabled === undefined) return webSearchMode;
  return webSearchEnabled ? 'live' : 'disabled';
}

function promptOf(input: SdkTurn['input']): string {
  if (typeof input === 'string') return input;
  return input.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n\n');
}

/** Returns a driver that uses the SDK itself, if it is installed in the folder. */
export async function installedDriver(folder: string): Promise<SdkDriver | undefined> {
  const entry = join(folder, 'node_modules/@openai/codex-sdk/dist/index.js');
  if (!existsSync(entry)) return undefined;
  const { Codex } = await import(pathToFileURL(entry).href);
  return async ({ input, baseUrl, apiKey, config, env, thread, threadId, onEvent, ...options }) => {
    const configOverrides = config.map((pair) => pair.join('='));
    const codex = new Codex({ codexPathOverride: PROGRAM, baseUrl, apiKey, configOverrides, env });
    const opened = threadId === undefined ? codex.startThread(thread) : codex.resumeThread(threadId, thread);
    const events: JsonEvent[] = [];
    try {
      for await (const event of (await opened.runStreamed(input, options)).events) {
        events.push(event);
        onEvent?.(event);
      }
      return { events };
    } catch (error) {
      return { events, error: messageOf(error) };
    }
  };
}
