import { approvals } from './approvals.ts';
import { archive } from './archive.ts';
import { compact } from './compact.ts';
import { copy } from './copy.ts';
import { diff } from './diff.ts';
import { exportThread } from './export.ts';
import { firstRun } from './first-run.ts';
import { fork } from './fork.ts';
import { history } from './history.ts';
import { init } from './init.ts';
import { keys } from './keys.ts';
import { mcp } from './mcp.ts';
import { model } from './model.ts';
import { newThread } from './new.ts';
import { plan } from './plan.ts';
import { provider } from './provider.ts';
import { ps } from './ps.ts';
import { question } from './question.ts';
import { quit } from './quit.ts';
import { redraw } from './redraw.ts';
import { rename } from './rename.ts';
import { resume } from './resume.ts';
import { review } from './review.ts';
import { rewind } from './rewind.ts';
import { sandbox } from './sandbox.ts';
import type { SlashCommand } from './slash-command.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { theme } from './theme.ts';
import { transcript } from './transcript.ts';
import { trust } from './trust.ts';
import { usage } from './usage.ts';

/** The slash commands by their names, in the order of their list. Commands without a summary are begun by keys. */
export const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  model,
  provider,
  approvals,
  sandbox,
  plan,
  diff,
  compact,
  new: newThread,
  resume,
  fork,
  rename,
  archive,
  rewind,
  status,
  usage,
  ps,
  stop,
  review,
  init,
  mcp,
  copy,
  export: exportThread,
  redraw,
  theme,
  keys,
  // Its text is made from this table.
  help: { summary: 'list the commands' },
  quit,
  'first-run': firstRun,
  history,
  question,
  transcript,
  trust,
};
