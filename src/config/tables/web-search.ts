import { FLAG, oneOf, refined, TEXT, TEXTS } from '../setting/kinds.ts';
import { readGiven, readSetting, setting, type ValuesOf } from '../setting/setting.ts';
import type { SettingsReader } from '../setting/settings-reader.ts';

const QUERY = '{query}';

/** `cached`: pages that the server has stored. `indexed`: its index of the web. `live`: the web itself. */
const MODE = oneOf('disabled', 'cached', 'indexed', 'live');

const COMMAND = refined(
  TEXTS,
  `a program and its words, one of which holds ${QUERY}`,
  ([program = '', ...words]) =>
    program !== '' && !program.includes(QUERY) && words.some((word) => word.includes(QUERY)),
);

export const WEB_SEARCH_SETTINGS = {
  /**
   * Search of the server. `cached`: pages that it has stored. `indexed`: its index of the web. `live`: the web itself.
   * @default what suits the server
   */
  named: setting('web_search', MODE),
  /** Whether the web is searched: `true` for `live`. `tools.web_search = true` says the same. */
  enabled: setting('tools.web_search.enabled', FLAG),
  /** The same as `web_search`, which beats it. */
  mode: setting('tools.web_search.mode', MODE),
  /** Program that searches instead of the server, on every wire. The query takes the place of `{query}`. */
  command: setting('tools.web_search.command', COMMAND),
  /** Amount of what it found that the server reads. */
  contextSize: setting('tools.web_search.context_size', oneOf('low', 'medium', 'high')),
  /** Sites that the server searches. */
  allowedDomains: setting('tools.web_search.allowed_domains', TEXTS, { default: [] }),
};

export const LOCATION_SETTINGS = {
  /** Country that results are for, such as `DE`. */
  country: setting('tools.web_search.location.country', TEXT),
  /** Region that results are for. */
  region: setting('tools.web_search.location.region', TEXT),
  /** City that results are for. */
  city: setting('tools.web_search.location.city', TEXT),
  /** Time zone that results are for, such as `Europe/Berlin`. */
  timezone: setting('tools.web_search.location.timezone', TEXT),
};

export const OLDER_WEB_SEARCH_SETTINGS = {
  /** Older name of `tools.web_search.enabled`. */
  request: setting('tools.web_search_request', FLAG),
  /** Still older name of it. */
  flatRequest: setting('tools_web_search_request', FLAG),
};

type Values = ValuesOf<typeof WEB_SEARCH_SETTINGS>;

/** Settings of the search of the web, by the server or by a command of the user's. */
export interface WebSearchConfig extends Pick<Values, 'mode' | 'command' | 'contextSize' | 'allowedDomains'> {
  /** Place that results are for: `country`, `region`, `city`, `timezone`. */
  readonly location: Readonly<Record<string, string>>;
}

export type WebSearchMode = NonNullable<Values['mode']>;

/** Reads `web_search`, `[tools.web_search]` and their older names. */
export function readWebSearch(reader: SettingsReader): WebSearchConfig {
  const { named, mode, command, contextSize, allowedDomains } = WEB_SEARCH_SETTINGS;
  return {
    mode: named.given(reader) ?? mode.given(reader) ?? enabledMode(reader),
    command: readSetting(command, reader),
    contextSize: readSetting(contextSize, reader),
    allowedDomains: readSetting(allowedDomains, reader),
    location: readGiven(LOCATION_SETTINGS, reader),
  };
}

/** Returns the mode of a search that is switched on or off without a mode. As in Codex, on means the web itself. */
function enabledMode(reader: SettingsReader): WebSearchMode | null {
  const enabled =
    WEB_SEARCH_SETTINGS.enabled.given(reader) ??
    OLDER_WEB_SEARCH_SETTINGS.request.given(reader) ??
    OLDER_WEB_SEARCH_SETTINGS.flatRequest.given(reader);
  if (enabled === undefined) return null;
  return enabled ? 'live' : 'disabled';
}
