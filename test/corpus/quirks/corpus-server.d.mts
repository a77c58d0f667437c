import type { Case, Quirk } from './read-corpus.mjs';

export interface CorpusServer {
  /** Without a slash at its end. A case is at `<url>/<quirk>/<case>/v1`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ServedRequest {
  /** `<quirk>/<case>` */
  readonly key: string;
  readonly stage: 'earlier' | 'case' | 'after';
  readonly body: Readonly<Record<string, unknown>>;
}

export function startCorpusServer(options?: {
  readonly port?: number;
  readonly onRequest?: (request: ServedRequest) => void;
}): Promise<CorpusServer>;

/** A case that the server can serve. */
export type ServedCase = Case & { readonly wire: 'chat' | 'responses' };

export function servedCases(): Map<string, { readonly quirk: Quirk; readonly kase: ServedCase }>;
export function servedCases(wires: readonly string[]): Map<string, { readonly quirk: Quirk; readonly kase: Case }>;
