import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Agent, createAgent } from '../../app/agent.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import type { Event } from '../../base/event.ts';
import { formatHelp } from '../format-help.ts';
import { interruptSignal } from '../interrupt-signal.ts';
import { createOutput } from '../output.ts';
import { duration, parseOptions, UsageError, wholeNumber } from '../parse-options.ts';
import { createHumanPrinter } from '../print/human.ts';
import { createJsonlPrinter } from '../print/jsonl.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import { readPrompt } from '../read-prompt.ts';

const options = {
  model: { type: 'string', short: 'm', value: 'MODEL', help: 'The model to ask' },
  sandbox: {
    type: 'string',
    short: 's',
    value: 'MODE',
    help: 'What commands may touch: read-only, workspace-write or danger-full-access',
  },
  cd: { type: 'string', short: 'C', value: 'DIR', help: 'Work in this folder' },
  config: { type: 'string', short: 'c', multiple: true, value: 'KEY=VALUE', help: 'Override a setting of config.toml' },
  'add-dir': { type: 'string', multiple: true, value: 'DIR', help: 'A further folder that commands may write to' },
  json: { type: 'boolean', help: 'Print events as JSON, one a line' },
  'experimental-json': { type: 'boolean' },
  'output-last-message': { type: 'string', short: 'o', value: 'FILE', help: 'Write the final answer to this file' },
  'skip-git-repo-check': { type: 'boolean', help: 'Run outside of a git repository too' },
  ephemeral: { type: 'boolean', help: 'Keep no record of the thread' },
  'max-requests': { type: 'string', value: 'N', help: 'Stop after so many requests to the model' },
  'max-tokens': { type: 'string', value: 'N', help: 'Stop when so many tokens were used' },
  timeout: { type: 'string', value: 'TIME', help: 'Stop after this time, such as 90s, 10m or 1h' },
  color: { type: 'string', value: 'WHEN', help: 'Colours: auto, always or never' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

const HELP = {
  usage: 'oxbow exec [options] [PROMPT]',
  about:
    'Runs one turn without asking anything and prints the final answer. PROMPT may be - or missing: it is then read\nfrom standard input. What is piped in beside a PROMPT is added to it.',
  options,
  example: 'oxbow exec -s workspace-write "make the failing test pass"',
  more: {
    'Exit codes': [
      '0  the turn was completed',
      '1  it failed or was interrupted, or the configuration is wrong',
      '2  wrong usage',
    ],
  },
};

/** `oxbow exec`: one turn, headless. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('exec', options, argv);
  if (values.help) {
    process.stdout.write(formatHelp(HELP));
    return 0;
  }
  if (positionals.length > 1) throw new UsageError(`Expected one prompt, got ${positionals.length}: put it in quotes.`);
  const limits = readLimits(values);
  const color = readColor(values.color);
  const agent = createAgent({
    ownProcess: true,
    originator: process.env.CODEX_INTERNAL_ORIGINATOR_OVERRIDE || 'oxbow_exec',
    ...(values.cd === undefined ? {} : { cwd: values.cd }),
    overrides: values.config ?? [],
    addDirs: values['add-dir'] ?? [],
    settings: {
      // Nobody is there to be asked.
      approval_policy: 'never',
      ...(values.model === undefined ? {} : { model: values.model }),
      ...(values.sandbox === undefined ? {} : { sandbox_mode: values.sandbox }),
    },
  });
  requireProject(agent, values['skip-git-repo-check'] ?? false);
  const prompt = await readPrompt(positionals[0], (text) => process.stderr.write(text));
  return runThread(agent, {
    prompt,
    limits,
    color,
    json: values.json || values['experimental-json'] || false,
    answerFile: values['output-last-message'],
    ephemeral: values.ephemeral ?? false,
  });
}

interface ExecRun {
  readonly prompt: string;
  readonly limits: ReturnType<typeof readLimits>;
  readonly color: string;
  readonly json: boolean;
  readonly answerFile: string | undefined;
  readonly ephemeral: boolean;
}

async function runThread(
  agent: Agent,
  { prompt, limits, color, json, answerFile, ephemeral }: ExecRun,
): Promise<number> {
  const interrupt = interruptSignal();
  const output = createOutput(interrupt.stop);
  const onEvent = json ? createJsonlPrinter(output.write) : humanPrinter(color);
  const thread = await agent.startThread({ onEvent, ephemeral });
  if (!json) process.stderr.write(banner(agent, thread.id, color));
  try {
    const result = await thread.run(prompt, { signal: interrupt.signal, limits });
    if (result.status !== 'completed') return 1;
    if (!json && !process.stdout.isTTY) output.write(`${result.finalResponse}\n`);
    if (answerFile !== undefined) writeAnswer(resolve(agent.config.cwd, answerFile), result.finalResponse);
    return 0;
  } finally {
    await thread.close();
    await output.end();
    interrupt.done();
  }
}

function readLimits(values: { 'max-requests'?: string; 'max-tokens'?: string; timeout?: string }) {
  const maxRequests = wholeNumber('max-requests', values['max-requests']);
  const maxTokens = wholeNumber('max-tokens', values['max-tokens']);
  const timeoutMs = duration('timeout', values.timeout);
  return {
    ...(maxRequests === undefined ? {} : { maxRequests }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function readColor(choice = 'auto'): string {
  if (!['auto', 'always', 'never'].includes(choice))
    throw new UsageError(`--color takes auto, always or never, not "${choice}".`);
  return choice;
}

function requireProject({ config }: Agent, skip: boolean): void {
  if (skip || config.project.root !== null || config.project.trusted) return;
  throw new UserError('Not inside a trusted directory and --skip-git-repo-check was not specified.');
}

function humanPrinter(color: string): (event: Event) => void {
  const isTerminal = process.stderr.isTTY === true;
  const style = createStyle(wantsColor(color, isTerminal, process.env.NO_COLOR));
  return createHumanPrinter((text) => process.stderr.write(text), { style, live: isTerminal });
}

function banner({ config, model, provider }: Agent, threadId: string, color: string): string {
  const { dim, bold } = createStyle(wantsColor(color, process.stderr.isTTY === true, process.env.NO_COLOR));
  const rows = {
    folder: config.cwd,
    model: `${model} (${provider.name})`,
    sandbox: config.policy.sandbox.mode,
    thread: threadId,
  };
  const lines = Object.entries(rows).map(([name, value]) => `${dim(name.padEnd(8))}${value}\n`);
  return `${bold(`oxbow ${OXBOW_VERSION}`)}\n${lines.join('')}`;
}

function writeAnswer(path: string, answer: string): void {
  if (answer === '') process.stderr.write(`warning: the model gave no final answer; ${path} is empty\n`);
  try {
    writeFileSync(path, answer);
  } catch (error) {
    throw new UserError(`The final answer could not be written to ${path}: ${messageOf(error)}`);
  }
}
