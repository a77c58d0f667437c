import { readFileSync } from 'node:fs';
import { ModelError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the certificates of authorities, as PEM, that the environment adds to those of Node; undefined if it adds none.
 * The first of the two variables counts, as in Codex. Throws `ModelError` for a file that cannot be used.
 */
export function readExtraCertificates(env: Env = process.env): readonly string[] | undefined {
  const variable = ['CODEX_CA_CERTIFICATE', 'SSL_CERT_FILE'].find((name) => isSet(env[name]));
  if (variable === undefined) return undefined;
  const own = readPem(variable, env[variable] ?? '');
  // A list of authorities replaces the list of Node, which has those of this variable.
  const ofNode = env.NODE_EXTRA_CA_CERTS;
  return isSet(ofNode) ? [own, readPem('NODE_EXTRA_CA_CERTS', ofNode)] : [own];
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function readPem(variable: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(variable, path, `cannot be read: ${fileFault(error)}.`);
  }
  if (!PEM.test(text)) throw unusable(variable, path, 'holds no certificate in PEM form');
  return text;
}

const PEM = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----/;

function unusable(variable: string, path: string, why: string): ModelError {
  return new ModelError('unreachable', `${variable} names ${path}, which ${why}. Correct the variable or unset it.`);
}
