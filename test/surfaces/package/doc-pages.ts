import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../../..');

/** A fenced block of code in a page. */
export interface Block {
  /** The path of the page, from the root of the repository. */
  readonly page: string;
  /** The line of the fence that opens the block, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** A command of a `sh` or `console` block, and the output that a `console` block shows for it. */
export interface ShownCommand {
  readonly page: string;
  readonly line: number;
  readonly command: string;
  /** Null in a `sh` block, which shows no output. */
  readonly output: readonly string[] | null;
}

/** Returns the pages for users: the README, docs/ and docs/migrate/. */
export function userPages(): string[] {
  return ['README.md', ...pagesIn('docs'), ...pagesIn('docs/migrate')];
}

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(REPOSITORY, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => `${folder}/${name}`);
}

/** Returns every page of the repository whose links have to resolve. */
export function allPages(): string[] {
  return [
    ...userPages(),
    ...['docs/api', 'docs/decisions'].flatMap(pagesIn),
    'AGENTS.md',
    'CHANGELOG.md',
    'CONTEXT.md',
    'examples/README.md',
  ];
}

function readPage(page: string): string {
  return readFileSync(join(REPOSITORY, page), 'utf8');
}

/** Returns the fenced blocks of a page. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; lines: string[] } | undefined;
  for (const [index, line] of readPage(page).split('\n').entries()) {
    if (!/^ *```/.test(line)) open?.lines.push(line);
    else if (open) {
      blocks.push({ page, line: open.line, language: open.language, text: `${open.lines.join('\n')}\n` });
      open = undefined;
    } else open = { line: index + 1, language: line.replace(/^ *```/, ''), lines: [] };
  }
  return blocks;
}

/** Returns the commands of a block in their order: all of a `sh` block, those that start oxbow of a `console` block. */
export function commandsOf({ page, line, language, text }: Block): ShownCommand[] {
  if (language !== 'sh' && language !== 'console') return [];
  const commands: { page: string; line: number; command: string; output: string[] | null }[] = [];
  const lines = text.trimEnd().split('\n');
  for (let at = 0; at < lines.length; at++) {
    const shown = lines[at] ?? '';
    const command = language === 'sh' ? shown : shown.replace(/^\$ (?=oxbow )/, '');
    if (language === 'console' && command === shown) {
      commands.at(-1)?.output?.push(shown);
      continue;
    }
    const last = lastLineOf(lines, at);
    const whole = [command, ...lines.slice(at + 1, last + 1)].join('\n');
    if (whole !== '')
      commands.push({ page, line: line + 1 + at, command: whole, output: language === 'sh' ? null : [] });
    at = last;
  }
  return commands;
}

/** Returns the index of the last line of a command: that of a here-document, or of lines that are indented. */
function lastLineOf(lines: readonly string[], first: number): number {
  const end = /<<'(\w+)'/.exec(lines[first] ?? '')?.[1];
  if (end !== undefined) return lines.indexOf(end, first);
  const next = lines.findIndex((line, index) => index > first && !line.startsWith('  '));
  return lines[first + 1]?.startsWith('  ') ? (next < 0 ? lines.length : next) - 1 : first;
}

/** Returns the texts in backticks of a page, code blocks apart. */
export function inlineCode(page: string): string[] {
  const prose = readPage(page).replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);
}

/** Returns the lines that a page shows as code by indenting them, code blocks apart. */
export function indentedLines(page: string): string[] {
  const prose = readPage(page).replace(/^ *```[\s\S]*?^ *```/gm, '');
  return [...prose.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) => line);
}

/** Returns a sentence for each link of a page to a file or a heading that does not exist. */
export function brokenLinks(page: string): string[] {
  const prose = readPage(page)
    .replace(/^ *```[\s\S]*?^ *```/gm, '')
    .replace(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return [...new Set(links)]
    .filter((target) => !/^[a-z]+:/.test(target) && !resolves(page, target))
    .map((target) => `${page} links to ${target}, which does not exist.`);
}

function resolves(page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const linked = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(REPOSITORY, linked))) return false;
  if (anchor === undefined) return true;
  return statSync(join(REPOSITORY, linked)).isFile() && anchorsOf(linked).has(anchor);
}

/** Returns the anchors of a page, each page read once: the pages of the API link to headings some thousand times. */
function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchors.get(page) ?? findAnchors(page);
  anchors.set(page, known);
  return known;
}

const anchors = new Map<string, ReadonlySet<string>>();

/** Finds the anchors that GitHub makes of headings, and those in HTML. */
function findAnchors(page: string): ReadonlySet<string> {
  const text = readPage(page).replace(/^ *```[\s\S]*?^ *```/gm, '');
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => slug(title));
  return new Set([...named, ...headings]);
}

function slug(title: string): string {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replace(/ /g, '-');
}
