import { resolve } from 'node:path';
import { createAgent } from '../../app/agent.ts';
import type { AgentOptions } from '../../app/agent-options.ts';
import type { Settings } from '../../config/settings.ts';
import type { ScreenTerminal } from '../../tui/open-terminal.ts';
import type { SessionStart } from '../../tui/run-session.ts';
import { readOverrides, withLocalServer } from '../exec/exec-task.ts';
import { colorDepth } from '../print/style.ts';
import { ORIGINS, wordedMessage } from '../wording.ts';
import type { InteractiveLine, InteractiveValues } from './read-line.ts';

/** Makes the agent and runs the terminal to its end. Without a screen the terminal only appends lines. */
export async function runInteractive(line: InteractiveLine, terminal: ScreenTerminal | null): Promise<number> {
  const options = await agentOptions(line.values).catch(failed(terminal));
  const start: SessionStart = {
    createAgent: () => createAgent(options),
    first: line.thread,
    allFolders: line.values.all ?? false,
    prompt: line.prompt,
    images: (line.values.image ?? []).flatMap((list) => list.split(',')).filter((path) => path !== ''),
    env: process.env,
    version: OXBOW_VERSION,
    attributes: colorDepth(process.env) !== 'none',
    worded: wordedMessage,
    runSelf,
    exportThread,
  };
  if (terminal !== null) return (await import('../../tui/start-session.ts')).startSession(terminal, start);
  const { runPlain } = await import('../../tui/plain/run-plain.ts');
  const { stdin: input, stdout } = process;
  return runPlain({ input, write: (text) => void stdout.write(text), columns: () => stdout.columns || 80 }, start);
}

/** Reports whether the configuration asks for plain mode. */
export async function isPlainConfigured({ values }: InteractiveLine): Promise<boolean> {
  const agent = createAgent(await agentOptions(values));
  const { plain } = agent.config.tui;
  await agent.close();
  return plain;
}

/** Returns a handler that leaves the terminal as it was before an error is reported. */
function failed(terminal: ScreenTerminal | null) {
  return async (error: unknown): Promise<never> => {
    await terminal?.close();
    throw error;
  };
}

async function agentOptions(values: InteractiveValues): Promise<AgentOptions> {
  const bypass = values['dangerously-bypass-approvals-and-sandbox'] || values.yolo;
  const sandbox = bypass ? 'danger-full-access' : values.sandbox;
  const approval = bypass ? 'never' : values['ask-for-approval'];
  const options: AgentOptions = {
    ownProcess: true,
    originator: 'oxbow_cli',
    source: 'cli',
    origins: ORIGINS,
    overrides: readOverrides(values),
    strict: values['strict-config'] ?? false,
    addDirs: (values['add-dir'] ?? []).map((folder) => resolve(values.cd ?? '.', folder)),
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    ...(values.cd === undefined ? {} : { cwd: values.cd }),
    settings: {
      ...(approval === undefined ? {} : { approval_policy: approval as Settings['approval_policy'] }),
      ...(values.model === undefined ? {} : { model: values.model }),
      ...(values.account === undefined ? {} : { account: values.account }),
      ...(sandbox === undefined ? {} : { sandbox_mode: sandbox as Settings['sandbox_mode'] }),
    },
  };
  return values.oss ? withLocalServer(options, values) : options;
}

/** Runs another command of this program on the terminal, such as a sign-in. Returns its exit code. */
async function runSelf(args: readonly string[]): Promise<number> {
  const { runForUser } = await import('../../app/commands/run-attached.ts');
  const program = process.argv[1];
  const own = program === undefined ? [] : [program];
  return (await runForUser({ command: process.execPath, args: [...own, ...args], env: process.env, hasTerminal: true }))
    .code;
}

async function exportThread(id: string, file: string): Promise<string> {
  const { formatMarkdown } = await import('../threads/format-markdown.ts');
  const { toldThread } = await import('../threads/told-thread.ts');
  const { writeText } = await import('../threads/export.ts');
  const path = resolve(file);
  writeText(path, formatMarkdown(await toldThread(id), true), 'Name another file: /export FILE');
  return path;
}
