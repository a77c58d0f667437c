import type { Agent } from '../../app/agent.ts';
import type { ReviewTarget } from '../../app/commands/review.ts';
import { UserError } from '../../base/errors.ts';
import type { InputPart } from '../../base/input.ts';
import { printable } from '../../text/visible.ts';
import { codexNotes } from '../exec/codex-options.ts';
import { createExecAgent, moveToWorktree } from '../exec/create-exec-agent.ts';
import {
  type ExecTask,
  type ExecValues,
  readAnswerFile,
  readInputFormat,
  readLimits,
  readSchema,
  readTask,
  spreadImages,
} from '../exec/exec-task.ts';
import { execHelp, execOptions } from '../exec/options.ts';
import { type ExecRun, runThread } from '../exec/run-thread.ts';
import { withThread } from '../exec/with-thread.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { readPrompt } from '../read-prompt.ts';

export { execHelp as help } from '../exec/options.ts';

/** Runs `oxbow exec`: one turn, without questions to the user unless --ask is given. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('exec', execOptions, spreadImages(argv));
  if (values.version) {
    print(`oxbow ${OXBOW_VERSION}\n`);
    return 0;
  }
  if (values.help || asksForHelp(positionals)) {
    print(formatHelp(execHelp));
    return 0;
  }
  const given = readTask(positionals, values);
  const notes = codexNotes(values);
  const ask = values.ask ? (await import('../ask/terminal-ask.ts')).openTerminalAsk(values) : null;
  const common = {
    inputLines: readInputFormat(values['input-format'], given),
    limits: readLimits(values),
    color: values.color ?? 'auto',
    json: values.json || values['experimental-json'] || false,
    raw: values.raw ?? false,
    progress: !values.debug,
    outputSchema: readSchema(values['output-schema']),
    answerFile: readAnswerFile(values['output-last-message']),
    ephemeral: values.ephemeral ?? false,
    ask,
  };
  const here = await createExecAgent(values);
  const { warnings } = here.agent.config;
  for (const warning of [...notes, ...warnings]) process.stderr.write(`warning: ${printable(warning)}\n`);
  requireProject(here.agent, values['skip-git-repo-check'] ?? false);
  const task = await withThread(given, here.agent, values);
  const { agent, worktree } = values.worktree ? await moveToWorktree(here, values) : { ...here, worktree: null };
  return runThread(agent, { ...common, ...(await whatToRun(task, agent, values)), worktree });
}

/** Reports whether the words are `help`, or `help` and a command of `exec`: one text is about all of them. */
function asksForHelp([first, second, ...rest]: readonly string[]): boolean {
  return first === 'help' && rest.length === 0 && (second === undefined || /^(resume|fork|review)$/.test(second));
}

type WhatToRun = Pick<ExecRun, 'input' | 'open' | 'model' | 'finish'>;

async function whatToRun(task: ExecTask, agent: Agent, values: ExecValues): Promise<WhatToRun> {
  if (task.kind === 'review')
    return reviewRun(agent, task.target, values.model ?? agent.config.reviewModel ?? undefined);
  const input = await readInput(task.prompt, values);
  if (task.kind === 'new') return { input, open: (options) => agent.startThread(options) };
  const id = String(task.id);
  if (task.kind === 'resume') return { input, open: (options) => agent.resumeThread({ text: id }, options) };
  const at = task.at === undefined ? {} : { at: task.at };
  return { input, open: (options) => agent.forkThread({ text: id }, { ...options, ...at }) };
}

/** Returns the run of a review, which has its own instructions and an answer that is rendered as text. */
async function reviewRun(agent: Agent, target: ReviewTarget, model: string | undefined): Promise<WhatToRun> {
  const { renderReview, reviewRequest } = await import('../../app/commands/review.ts');
  const { gitCaller } = await import('../../app/commands/git-caller.ts');
  const place = { ...(await gitCaller(agent.config)), cwd: agent.config.cwd };
  const { prompt, instructions } = await reviewRequest(target, place);
  return {
    input: prompt,
    model,
    open: (options) => agent.startThread({ ...options, instructions }),
    finish: (answer) => renderReview(answer).text,
  };
}

async function readInput(prompt: string | undefined, values: ExecValues): Promise<readonly InputPart[]> {
  const images = (values.image ?? []).flatMap((list) => list.split(',')).filter((path) => path !== '');
  const shown = images.map((path) => ({ type: 'local_image', path, optional: true }) as const);
  if (values['input-format'] !== 'jsonl') {
    const text = await readPrompt(prompt, (note) => process.stderr.write(note));
    return [...shown, { type: 'text', text }];
  }
  if (prompt !== undefined && prompt !== '-') return [...shown, { type: 'text', text: prompt }];
  if (shown.length > 0)
    throw new UsageError('With --input-format jsonl, -i needs a PROMPT. Lines have "images" instead.');
  return [];
}

function requireProject({ config }: Agent, skip: boolean): void {
  if (skip || config.project.root !== null || config.project.trusted) return;
  throw new UserError('not_trusted', 'Not inside a trusted directory and --skip-git-repo-check was not specified.');
}
