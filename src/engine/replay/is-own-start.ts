import type { LogLine } from '../../base/log.ts';

const FIELDS =
  'id session_id timestamp cwd originator cli_version source model_provider base_instructions history_mode oxbow_format'.split(
    ' ',
  );

/** Whether this program began a thread with this line. Others, and what copies a thread, say more. */
export function isOwnStart(line: LogLine): boolean {
  if (line.type !== 'session_meta') return false;
  const { oxbow_format, source } = line.payload;
  // The first versions wrote no format.
  if (oxbow_format === undefined && source !== 'exec') return false;
  return Object.keys(line.payload).every((field) => FIELDS.includes(field));
}
