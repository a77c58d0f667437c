import type { ToolSpec } from '../../base/tool.ts';
import type { ToolFacts } from '../lazy-tool.ts';
import description from './description.md';

export const SEARCH_PARAMETERS = {
  type: 'object',
  properties: { query: { type: 'string', description: 'What to search for.' } },
  required: ['query'],
  additionalProperties: false,
} as const;

/** The search by a command. That of a server is never called: it answers itself. */
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
} as const satisfies ToolFacts;

export interface HostedSearch {
  /** What the server may look at: what it has stored, its index of the web, the web itself. */
  readonly mode: 'cached' | 'indexed' | 'live';
  readonly contextSize: string | null;
  readonly allowedDomains: readonly string[];
  readonly location: Readonly<Record<string, string>>;
}

/** What servers that search themselves are told. */
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
