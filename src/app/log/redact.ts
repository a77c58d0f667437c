import { passwordsIn, redactUrls } from '../../base/redact-url.ts';
import { isSecretVariable } from '../../base/secret-variable.ts';

const SHORTEST_SECRET = 8;
/** Shapes of the keys of well-known services. */
const KEY_SHAPES = /\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abp])[-_][\w-]{16,}|\bBearer\s+[\w.~+/-]{16,}=*/g;

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the values of the variables that look like credentials, and the passwords in them, longest first. */
export function secretValues(env: Variables): string[] {
  return Object.entries(env)
    .filter(([name, value]) => isSecretVariable(name, value))
    .flatMap(([, value = '']) => [value, ...passwordsIn(value)])
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
}

/**
 * Returns a function that removes secrets from a text: values of secret variables, keys recognised by their shape, and
 * credentials in URLs. `more` are values that may change.
 */
export function createRedactor(env: Variables, more: Iterable<string> = []): (text: string) => string {
  let secrets: string[] | undefined;
  return (text) => {
    secrets ??= secretValues(env);
    const known = [...secrets, ...more].reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
    return redactUrls(known.replace(KEY_SHAPES, '[redacted]'));
  };
}
