import { isRecord } from '../../base/json-schema.ts';
import type { StoredTokens } from '../auth-file.ts';

/** Facts about a person's ChatGPT account, as the tokens name them. */
export interface ChatGptIdentity {
  /** Id of the workspace that requests are made for. */
  readonly accountId: string | undefined;
  readonly email: string | undefined;
  readonly plan: string | undefined;
  /** Whether requests go to the servers for offices of the United States. */
  readonly isFedramp: boolean;
}

/** Returns the claims of a token. They are not verified: the token came from its issuer. Empty for another text. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ''] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isRecord(claims) ? claims : {};
  } catch {
    return {};
  }
}

/** Returns the account of a sign-in. The claims of the id token come before those of the access token. */
export function identityOf({ id_token, access_token, account_id }: StoredTokens): ChatGptIdentity {
  const tokens = [id_token, access_token].map(claimsOf);
  const find = (scope: string, name: string) => tokens.map((claims) => inScope(claims, scope)[name]).find(isText);
  const flags = tokens.map((claims) => inScope(claims, AUTH).chatgpt_account_is_fedramp);
  return {
    accountId: account_id || find(AUTH, 'chatgpt_account_id'),
    email: tokens.map(({ email }) => email).find(isText) ?? find(PROFILE, 'email'),
    plan: find(AUTH, 'chatgpt_plan_type'),
    isFedramp: flags.includes(true),
  };
}

const AUTH = 'https://api.openai.com/auth';
const PROFILE = 'https://api.openai.com/profile';

function inScope(claims: Readonly<Record<string, unknown>>, scope: string): Readonly<Record<string, unknown>> {
  const inner = claims[scope];
  return isRecord(inner) ? inner : {};
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
