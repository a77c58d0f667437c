import { UserError } from '../base/errors.ts';
import { ROLLOUT_FORMAT } from '../base/log.ts';

const HISTORY_MODES: readonly unknown[] = [undefined, null, 'legacy', 'paginated'];

/** Throws `UserError` if the first line of a rollout says that a newer program wrote it. */
export function checkFormat(path: string, meta: object): void {
  const { oxbow_format: format, history_mode: mode } = meta as { oxbow_format?: unknown; history_mode?: unknown };
  if (typeof format === 'number' && format > ROLLOUT_FORMAT) {
    throw new UserError(
      'unsupported',
      `${path} was written by a newer Oxbow, in format ${format}; this one knows ${ROLLOUT_FORMAT}. Update Oxbow to go on with it; nothing was changed.`,
    );
  }
  if (!HISTORY_MODES.includes(mode)) {
    throw new UserError(
      'unsupported',
      `${path} keeps its history in a mode that this version does not know, ${JSON.stringify(mode)}. A newer Oxbow may; nothing was changed.`,
    );
  }
}
