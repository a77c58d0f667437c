import { type FoundSettings, wrongValue } from '../setting/layers.ts';
import type { Settings } from '../setting/settings-reader.ts';

/** How the web is searched: by the server, or by a command of the user's. */
export interface WebSearchConfig {
  /** Null: what suits the server and the model. */
  readonly mode: WebSearchMode | null;
  /** Program and words, of which at least one holds `{query}`. It is used instead of the server's search. */
  readonly command: readonly string[] | null;
  readonly contextSize: 'low' | 'medium' | 'high' | null;
  readonly allowedDomains: readonly string[];
  /** Where results are to be good for: `country`, `region`, `city`, `timezone`. */
  readonly location: Readonly<Record<string, string>>;
}

/** `cached`: pages that the server has stored. `indexed`: its index of the web. `live`: the web itself. */
export type WebSearchMode = 'disabled' | 'cached' | 'indexed' | 'live';

const QUERY = '{query}';

const MODES: readonly WebSearchMode[] = ['disabled', 'cached', 'indexed', 'live'];
const TABLE = ['tools', 'web_search'] as const;
const PLACES = ['country', 'region', 'city', 'timezone'] as const;

/** `web_search`, `[tools.web_search]` and their older names. */
export function readWebSearch(settings: Settings): WebSearchConfig {
  return {
    mode: settings.oneOf(MODES, 'web_search') ?? settings.oneOf(MODES, ...TABLE, 'mode') ?? enabledMode(settings),
    command: readCommand(settings),
    contextSize: settings.oneOf(['low', 'medium', 'high'], ...TABLE, 'context_size') ?? null,
    allowedDomains: settings.strings(...TABLE, 'allowed_domains') ?? [],
    location: readLocation(settings),
  };
}

/** Whoever switches it on without more words means the web as it is, as in Codex. */
function enabledMode(settings: Settings): WebSearchMode | null {
  const enabled =
    settings.boolean(...TABLE, 'enabled') ??
    settings.boolean('tools', 'web_search_request') ??
    settings.boolean('tools_web_search_request');
  if (enabled === undefined) return null;
  return enabled ? 'live' : 'disabled';
}

function readCommand(settings: Settings): readonly string[] | null {
  const path = [...TABLE, 'command'];
  const found = settings.found(...path);
  if (found === undefined) return null;
  const [program = '', ...words] = settings.strings(...path) ?? [];
  if (program === '' || program.includes(QUERY) || !words.some((word) => word.includes(QUERY))) {
    throw wrongCommand(path, found);
  }
  return [program, ...words];
}

function wrongCommand(path: readonly string[], found: FoundSettings): Error {
  return wrongValue(path, `a program and its words, one of which holds ${QUERY}`, found);
}

function readLocation(settings: Settings): Readonly<Record<string, string>> {
  const entries = PLACES.flatMap((place) => {
    const value = settings.string(...TABLE, 'location', place);
    return value === undefined ? [] : [[place, value] as const];
  });
  return Object.fromEntries(entries);
}
