import applyPatch from './parts/apply-patch.md';
import argv from './parts/argv.md';
import execCommand from './parts/exec-command.md';
import patchInShell from './parts/patch-in-shell.md';
import shellCommand from './parts/shell-command.md';
import unifiedExec from './parts/unified-exec.md';
import updatePlan from './parts/update-plan.md';
import viewImage from './parts/view-image.md';
import webSearch from './parts/web-search.md';

/** Text about tools, for requests that offer one of them or that do not offer one. */
type Part = { readonly text: string } & ({ readonly with: readonly string[] } | { readonly without: string });

const PARTS: readonly Part[] = [
  { text: execCommand, with: ['exec_command'] },
  { text: unifiedExec, with: ['unified_exec'] },
  { text: argv, with: ['shell', 'local_shell'] },
  { text: shellCommand, with: ['shell_command'] },
  { text: applyPatch, with: ['apply_patch'] },
  { text: patchInShell, without: 'apply_patch' },
  { text: updatePlan, with: ['update_plan'] },
  { text: viewImage, with: ['view_image'] },
  { text: webSearch, with: ['web_search'] },
];

/** Returns the texts about the offered tools, always in the same order. */
export function toolParts(offered: ReadonlySet<string>): string[] {
  const fits = (part: Part) =>
    'with' in part ? part.with.some((name) => offered.has(name)) : !offered.has(part.without);
  return PARTS.filter(fits).map(({ text }) => text);
}
