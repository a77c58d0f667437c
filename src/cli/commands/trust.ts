import { statSync } from 'node:fs';
import { reviewProject, type TrustReview } from '../../app/commands/trust-project.ts';
import { UserError } from '../../base/errors.ts';
import { visibleLine, visibleText } from '../../base/visible-text.ts';
import { formatHelp } from '../format-help.ts';
import { print } from '../output.ts';
import { parseOptions, UsageError } from '../parse-options.ts';
import { canAsk, confirm } from '../threads/confirm.ts';

const options = {
  yes: { type: 'boolean', short: 'y', help: 'Do not ask' },
  json: { type: 'boolean', help: 'Print a JSON object with root, trusted, files and accepted; ask nothing' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const;

export const help = {
  usage: 'oxbow trust [options] [PATH]',
  about: `Shows how the settings and rules of a project differ from those that you accepted, and asks whether to accept them.
Until then, new and changed files may only tighten. A project that is not trusted becomes trusted. PATH is a folder of
the project; the working folder by default.`,
  options,
  example: 'oxbow trust ~/site',
  more: {
    'Exit codes': [
      '0  everything is accepted',
      '1  it is not: you said no, --json was given without --yes, or something is wrong',
      '2  wrong usage',
    ],
  },
};

/** Runs `oxbow trust`, which shows the settings and rules of a project and accepts them. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('trust', options, argv);
  if (values.help) {
    print(formatHelp(help));
    return 0;
  }
  const [path = '.', ...more] = positionals;
  if (more.length > 0) throw new UsageError(`oxbow trust takes one folder, not ${positionals.length}.`);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError('not_found', `${path} is not a folder.`);
  const review = reviewProject(path, process.env);
  const isDone = review.trusted && review.changes.length === 0;
  if (!values.json) print(describe(review));
  const accepted = isDone || values.yes === true || (!values.json && (await isConfirmed()));
  if (accepted && !isDone) review.accept();
  if (values.json) print(jsonText(review, accepted));
  else if (!accepted) process.stderr.write('Nothing was accepted.\n');
  else if (!isDone) print('Accepted.\n');
  return accepted ? 0 : 1;
}

function describe({ root, trusted, changes, unreadable }: TrustReview): string {
  const project = visibleLine(root);
  const state = trusted ? `${project} is trusted.` : `${project} is not trusted yet.`;
  const left = unreadable.map((path) => `${visibleLine(path)} cannot be read and is left out.\n`);
  if (changes.length === 0) {
    const files = trusted ? 'Its settings and rules are as you accepted them.' : 'It has no settings and no rules.';
    return `${state} ${files}\n${left.join('')}`;
  }
  const diffs = changes.map(({ diff }) => visibleText(diff));
  return `${state} These settings and rules are not accepted:\n\n${diffs.join('\n')}\n${left.join('')}`;
}

async function isConfirmed(): Promise<boolean> {
  if (!canAsk()) throw new UsageError('oxbow trust asks before it accepts. Pass --yes when no one can answer.');
  return confirm('Accept this?');
}

function jsonText({ root, trusted, changes, unreadable }: TrustReview, accepted: boolean): string {
  return `${JSON.stringify({ root, trusted, files: changes, unreadable, accepted }, null, 2)}\n`;
}
