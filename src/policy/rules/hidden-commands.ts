import { scriptsIn, startedCommands } from '../../shell/danger/wrappers.ts';

/**
 * Returns the commands that a command might start: behind `sudo`, `env` and the like, and anywhere in a script that
 * cannot be split. These are guesses, too many rather than too few: good enough to forbid a command, never to allow it.
 */
export function hiddenCommands(argv: readonly string[], isScript: boolean): (readonly string[])[] {
  const scripts = isScript ? scriptsIn(argv) : [];
  return [...startedCommands(argv), ...scripts.flatMap(commandsInText)];
}

/** Returns every command that a text could mean: a command may begin with any of its words. */
function commandsInText(script: string): (readonly string[])[] {
  return script.split(/[\n;&|()`{}<>]+/).flatMap((line) => {
    const words = line
      .split(/\s+/)
      .map((word) => word.replaceAll(/["'\\$]/g, ''))
      .filter((word) => word !== '');
    return words.map((_, at) => words.slice(at));
  });
}
