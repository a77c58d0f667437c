import { type CheckedRow, type Finding, type ProbeReport, settingName } from '../../app/commands/probe-server.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from '../print/style.ts';

/** Returns the tables of a probe: its checks, and the quirks that were seen. */
export function formatReport({ checks, findings }: ProbeReport, style: Style): string {
  return `${formatChecks(checks, style)}\n${findings.length === 0 ? 'No quirks were seen.\n' : formatFindings(findings)}`;
}

function formatChecks(checks: readonly CheckedRow[], { green, red, cyan, dim }: Style): string {
  const width = Math.max(...checks.map(({ id }) => id.length));
  const paint = { ok: green, note: cyan, failed: red, skipped: dim };
  return checks
    .map(({ id, status, says }) => `${paint[status](status.padEnd(7))} ${id.padEnd(width)}  ${oneLine(says)}\n`)
    .join('');
}

function formatFindings(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [finding.quirk ?? '-', handledBy(finding), oneLine(finding.what)] as const);
  const widths = [0, 1].map((column) =>
    Math.max(HEAD[column]?.length ?? 0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [HEAD, ...rows]
    .map(([quirk, how, what]) => `${quirk.padEnd(widths[0] ?? 0)}  ${how.padEnd(widths[1] ?? 0)}  ${what}\n`)
    .join('');
}

const HEAD = ['quirk', 'handled by', 'what'] as const;

/** Returns who handles a quirk, in the words of the table. */
function handledBy({ handling, compat = {} }: Finding): string {
  const [name] = Object.keys(compat);
  if (handling === 'setting') return name === undefined ? 'setting wire_api' : `setting ${settingName(name)}`;
  return WORDS[handling];
}

const WORDS: Readonly<Record<Exclude<Finding['handling'], 'setting'>, string>> = {
  repaired: 'repair',
  tolerated: 'nothing to do',
  retried: 'another request',
  limit: 'no one',
};

function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}
