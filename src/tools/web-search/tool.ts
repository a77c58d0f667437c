import type { CommandAction, SearchAction } from '../../base/action.ts';
import { cutMiddle } from '../../base/bound-text.ts';
import { ToolFailure } from '../../base/errors.ts';
import { parseArguments } from '../../base/parse-arguments.ts';
import type { ToolCode, ToolSettings } from '../tool-entry.ts';
import { SEARCH_PARAMETERS } from './facts.ts';

const TIMEOUT_MS = 30_000;
const MAX_QUERY_CHARS = 2_000;

/** Returns the tool that searches with the command that the user configured. */
export function createTool({
  searchCommand: command,
  cwd,
}: Pick<ToolSettings, 'searchCommand' | 'cwd'>): ToolCode<SearchAction> {
  return {
    async plan(call) {
      if (command === null) throw new ToolFailure('execution', NO_COMMAND);
      const query = parseArguments(call, SEARCH_PARAMETERS).query.replaceAll('\0', ' ').trim();
      if (query === '') throw new ToolFailure('parse', 'failed to parse function arguments: `query` is empty');
      if (query.length > MAX_QUERY_CHARS) throw new ToolFailure('parse', TOO_LONG);
      return { kind: 'search', query, argv: command.map((word) => withQuery(word, query)) };
    },

    async run({ argv }, environment) {
      const terminal = await environment.open(commandOf(argv, cwd));
      const { text, exitCode } = await terminal.collect(TIMEOUT_MS, environment.signal);
      const shown = cutMiddle(text, environment.textLimit);
      if (exitCode === 0) return { output: shown, success: true };
      if (exitCode !== null) return { output: failed(`it ended with exit code ${exitCode}`, shown), success: false };
      await terminal.kill();
      return { output: failed(`it took longer than ${TIMEOUT_MS} ms`, shown), success: false, failure: 'timeout' };
    },
  };
}

/**
 * Puts the query into a word. The query is never split. A space before it keeps a query that begins with a dash from
 * being an option.
 */
function withQuery(word: string, query: string): string {
  const safe = word.startsWith('{query}') && query.startsWith('-') ? ` ${query}` : query;
  return word.replaceAll('{query}', () => safe);
}

function commandOf(argv: readonly string[], cwd: string): CommandAction {
  return { kind: 'command', argv, cwd, login: true, escalate: false, yieldMs: TIMEOUT_MS, timeoutMs: TIMEOUT_MS };
}

function failed(reason: string, output: string): string {
  return `err: the search failed: ${reason}.${output === '' ? '' : `\n${output}`}`;
}

const NO_COMMAND = 'web_search cannot be used: no search command is configured. Go on without it.';
const TOO_LONG = `failed to parse function arguments: \`query\` has more than ${MAX_QUERY_CHARS} characters`;
