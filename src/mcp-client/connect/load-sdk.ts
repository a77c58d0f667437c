import { lazy } from '../../base/lazy.ts';

/** The SDK of the protocol. */
export type Sdk = typeof import('@modelcontextprotocol/client');

/** Loads the SDK, which takes about as long as the start of a small server: servers are started first. */
export const loadSdk = lazy<Sdk>(() => import('@modelcontextprotocol/client'));
