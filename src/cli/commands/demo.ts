import { basename } from 'node:path';
import { quoteArgv } from '../../shell/quote.ts';
import { aliasLine } from '../alias-line.ts';
import { type DemoResult, type DemoSandbox, runDemo, sandboxName, sandboxWorks } from '../demo/run-demo.ts';
import { createScratchProject, type ScratchProject } from '../demo/scratch-project.ts';
import { PROMPT } from '../demo/script.ts';
import { formatHelp } from '../format-help.ts';
import { type Interrupt, interruptSignal } from '../interrupt-signal.ts';
import { launcherAdvice } from '../launcher-advice.ts';
import { type CommandOutput, createOutput, print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { createHumanPrinter } from '../print/human.ts';
import { createStyle, type Style, wantsColor } from '../print/style.ts';

const options = {
  fast: { type: 'boolean', help: 'Skip the pauses that make it readable on a terminal' },
  keep: { type: 'boolean', help: 'Keep the temporary folder' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow demo [options]',
  about:
    'Shows one turn without a key or a network: a scripted model drives the real loop with real commands\non a small program with a failing test, in a temporary folder.',
  options,
  example: 'oxbow demo --keep',
  more: { 'Exit codes': ['0  the test passes at the end', '1  it does not', '2  wrong usage'] },
};

/** Time of each piece of a response on a terminal. */
const PACE_MS = 24;

/** Runs `oxbow demo`, which shows a turn without a model. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('demo', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  if (positionals.length > 0) throw new UsageError('oxbow demo takes no arguments. See oxbow demo --help.');
  const interrupt = interruptSignal();
  // A reader that stops reading ends the demo.
  process.stderr.on('error', interrupt.stop);
  const output = createOutput(interrupt.stop);
  const project = createScratchProject({ keep: values.keep ?? false });
  try {
    return await show({ project, interrupt, output, fast: values.fast ?? false, keep: values.keep ?? false });
  } finally {
    project.dispose();
    await output.end();
    interrupt.done();
  }
}

interface Show {
  readonly project: ScratchProject;
  readonly interrupt: Interrupt;
  readonly output: CommandOutput;
  readonly fast: boolean;
  readonly keep: boolean;
}

async function show({ project, interrupt: { signal }, output, fast, keep }: Show): Promise<number> {
  const { PATH: path } = process.env;
  const isWatched = process.stderr.isTTY === true;
  const style = styleFor(process.stdout);
  const { sandbox, note } = await chooseSandbox({ project, path, signal });
  if (signal.aborted) return 1;
  output.write(opening(style, project, note));
  const result = await runDemo({
    project,
    sandbox,
    path,
    signal,
    test: `${basename(process.execPath) === 'node' ? 'node' : quoteArgv([process.execPath])} fizz.test.mjs`,
    paceMs: isWatched && !fast ? PACE_MS : 0,
    onEvent: createHumanPrinter((text) => process.stderr.write(text), {
      style: styleFor(process.stderr),
      live: isWatched,
      folder: project.folder,
    }),
  });
  const fault = faultOf(result);
  output.write(fault === undefined ? closing(style, result) : `\n${fault}\n`);
  if (keep) output.write(`\nThe folder is kept: ${project.root}\n`);
  return fault === undefined ? 0 : 1;
}

function styleFor(stream: NodeJS.WriteStream): Style {
  return createStyle(wantsColor('auto', stream.isTTY === true, process.env.NO_COLOR));
}

async function chooseSandbox(
  place: Parameters<typeof sandboxWorks>[0],
): Promise<{ sandbox: DemoSandbox; note: string[] }> {
  if (await sandboxWorks(place)) {
    const name = await sandboxName(place);
    return {
      sandbox: 'workspace-write',
      note: [`${name}: commands may write to that folder only, and have no network`],
    };
  }
  return {
    sandbox: 'danger-full-access',
    note: [`none (${launcherAdvice()})`, 'The commands of this demo are fixed and stay in that folder.'],
  };
}

function opening({ bold, dim }: Style, { folder }: ScratchProject, sandbox: readonly string[]): string {
  const rows = [
    ['folder', folder],
    ...sandbox.map((line, index) => [index === 0 ? 'sandbox' : '', line]),
    ['prompt', PROMPT],
  ];
  const lines = rows.map(([name = '', value]) => `  ${dim(name.padEnd(9))}${value}\n`);
  return `${bold(`oxbow ${OXBOW_VERSION}: a demonstration`)}

The model is a script: it needs no key, and nothing leaves this machine.
Everything else is real: the loop, the calls, the commands and their output.

${lines.join('')}`;
}

/** Returns why the demo did not end well, judged by the exit codes of its processes. */
function faultOf({ status, testExits }: DemoResult): string | undefined {
  if (status === 'aborted') return 'The demo was interrupted.';
  if (status !== 'completed') return 'The demo failed: the turn was not completed.';
  const [before, after] = testExits;
  if (testExits.length === 2 && before !== 0 && after === 0) return undefined;
  const exits = testExits.map((code) => (code === null ? 'no exit code' : `exit ${code}`)).join(', then ');
  return `The demo failed: the test should fail first and pass at the end. It ran with ${exits || 'no result'}.`;
}

function closing({ bold, dim, green }: Style, { testExits: [before, after] }: DemoResult): string {
  const commands = [
    ...aliasLine(process.env.PATH, process.argv[1]),
    'export OPENAI_API_KEY=…',
    'cd your-project && oxbow exec "explain this project"',
    dim('# or with a model on this machine:'),
    'oxbow exec -c model_provider=ollama -m gpt-oss:20b "explain this project"',
  ];
  return `
${green(`The test exited with ${before} before the change and with ${after} after it.`)}

${bold('Now with a real model:')}
${commands.map((line) => `  ${line}\n`).join('')}`;
}
