const SECRET_NAME = /KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL/i;
const SHORTEST_SECRET = 8;
/** Shapes of the keys of well-known services. */
const KEY_SHAPES = /\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|xox[abp])[-_][\w-]{16,}|\bBearer\s+[\w.~+/-]{16,}=*/g;

type Variables = Readonly<Record<string, string | undefined>>;

/** Returns the values of the variables whose names say that they are secret, longest first. */
export function secretValues(env: Variables): string[] {
  return Object.entries(env)
    .filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SHORTEST_SECRET)
    .map(([, value]) => value ?? '')
    .sort((a, b) => b.length - a.length);
}

/**
 * Returns a function that removes secrets from a text: values of secret variables, and keys recognised by their shape.
 */
export function createRedactor(env: Variables): (text: string) => string {
  let secrets: string[] | undefined;
  return (text) => {
    secrets ??= secretValues(env);
    const known = secrets.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
    return known.replace(KEY_SHAPES, '[redacted]');
  };
}
