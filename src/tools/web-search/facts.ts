import type { ToolSpec } from '../../base/tool.ts';
import type { HostedSearch, ToolFacts } from '../tool-entry.ts';
import description from './description.md';

export const SEARCH_PARAMETERS = {
  type: 'object',
  properties: { query: { type: 'string', description: 'What to search for.' } },
  required: ['query'],
  additionalProperties: false,
} as const;

/** The search by a command. The server's own search is never called: the server runs it. */
export const webSearchFacts = {
  name: 'web_search',
  accepts: ['function'],
  spec: {
    type: 'function',
    name: 'web_search',
    description: description.trim(),
    strict: false,
    parameters: SEARCH_PARAMETERS,
  },
  parallel: true,
  offer: ({ webSearch }) => webSearch !== null && (webSearch === 'command' || hostedSearchSpec(webSearch)),
} as const satisfies ToolFacts;

/** Returns the spec for servers that search themselves. */
export function hostedSearchSpec({ mode, contextSize, allowedDomains, location }: HostedSearch): ToolSpec {
  return {
    type: 'web_search',
    external_web_access: mode !== 'cached',
    ...(mode === 'indexed' ? { indexed_web_access: true } : {}),
    ...(allowedDomains.length === 0 ? {} : { filters: { allowed_domains: allowedDomains } }),
    ...(Object.keys(location).length === 0 ? {} : { user_location: { type: 'approximate', ...location } }),
    ...(contextSize === null ? {} : { search_context_size: contextSize }),
  };
}
