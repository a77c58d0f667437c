import { type Command, parse, type Function as ShellFunction, type SyntaxNode } from 'unbash';
import { findDangerousProgram, isDisk } from './danger/programs.ts';
import { walkScript } from './danger/walk-script.ts';
import { isWrapper, runsShell, scriptsIn, startedCommands } from './danger/wrappers.ts';
import { baseName } from './program-name.ts';

const MAX_DEPTH = 8;
const TOO_DEEP = 'the command is nested too deeply to be judged';

/** Number of words of a wrapper that may be the start of a command. */
const MAX_STARTS = 200;

/**
 * Returns why a command is dangerous, as a part of a sentence. Undefined: it does not look dangerous. Looks into
 * scripts, substitutions, control flow and the commands that other programs start. This is a warning and not a
 * protection: a command can be hidden from it.
 */
export function findDanger(argv: readonly string[]): string | undefined {
  return inCommand(argv, 0);
}

function inCommand(argv: readonly string[], depth: number): string | undefined {
  const start = argv.slice(0, MAX_STARTS);
  if (isWrapper(argv[0] ?? '') && depth + start.filter(isWrapper).length > MAX_DEPTH) return TOO_DEEP;
  return firstOf([argv, ...startedCommands(start)], ([program = '', ...words]) => {
    const found = findDangerousProgram(words, baseName(program));
    return found ?? firstOf(scriptsIn([program, ...words]), (script) => inScript(script, depth + 1));
  });
}

function inScript(script: string, outerDepth: number): string | undefined {
  if (outerDepth > MAX_DEPTH) return TOO_DEEP;
  let hasErrors = false;
  for (const { node, depth } of walkScript(parse(script), outerDepth)) {
    if (depth > MAX_DEPTH) return TOO_DEEP;
    const found = inNode(node, depth);
    if (found !== undefined) return found;
    hasErrors ||= node.type === 'Script' && node.errors !== undefined;
  }
  return hasErrors ? inBrokenScript(script, outerDepth) : undefined;
}

/**
 * Finds danger in a text that is not bash. Another shell may understand the text, so each of its words may be a
 * program.
 */
function inBrokenScript(script: string, depth: number): string | undefined {
  return firstOf(script.split(/[\n;&|()`{}]+/), (line) => {
    const words = line.replaceAll(/["'\\]/g, '').split(/\s+/);
    return inCommand(['command', ...words.filter((word) => word !== '')], depth);
  });
}

function inNode(node: SyntaxNode, depth: number): string | undefined {
  switch (node.type) {
    case 'Command':
      return inCommand(wordsOf(node), depth) ?? firstOf(fedScripts(node), (script) => inScript(script, depth + 1));
    case 'Pipeline':
      return inPipeline(node.commands, depth);
    case 'Redirect':
      if (node.operator.startsWith('<') || !isDisk(node.target?.value ?? '')) return undefined;
      return 'the output goes straight to a disk';
    case 'Function':
      return isForkBomb(node) ? 'a function that starts copies of itself fills the machine' : undefined;
    default:
      return undefined;
  }
}

/** Reports whether a function starts copies of itself, in a pipeline or in the background. */
function isForkBomb({ name, body }: ShellFunction): boolean {
  for (const { node } of walkScript(body)) {
    const inParallel = node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true);
    if (inParallel && calls(node, name.value)) return true;
  }
  return false;
}

function calls(node: SyntaxNode, name: string): boolean {
  for (const { node: inner } of walkScript(node)) {
    if (inner.type === 'Command' && inner.name?.value === name) return true;
  }
  return false;
}

function wordsOf({ name, args }: Command): readonly string[] {
  const values = args.map(({ value }) =>
    typeof value === 'string' ? value : value.type === 'Word' ? value.value : '',
  );
  return name === undefined ? [] : [name.value, ...values];
}

/** Returns the scripts that a shell reads from its input: `bash <<EOF`, `sh <<< 'text'`. */
function fedScripts(command: Command): readonly string[] {
  if (!runsShell(wordsOf(command))) return [];
  return command.redirects.flatMap((redirect) => {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    return redirect.type === 'HereString' ? (redirect.target?.value ?? []) : [];
  });
}

/** Finds danger in `echo 'script' | sh`: the words before the shell may be its script. */
function inPipeline(commands: readonly SyntaxNode[], depth: number): string | undefined {
  const argvs = commands.map((node) => (node.type === 'Command' ? wordsOf(node) : []));
  const shell = argvs.findIndex(runsShell);
  return firstOf(shell === -1 ? [] : argvs.slice(0, shell).flat(), (word) => inScript(word, depth + 1));
}

function firstOf<T>(list: readonly T[], find: (one: T) => string | undefined): string | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
