import { readFileSync } from 'node:fs';
import { ModelError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import type { ClientCertificate } from '../base/provider.ts';

/** Reads the certificate of a client and its key. Throws `ModelError` for files that cannot be used. */
export function readClientCertificate({ certificate, key }: ClientCertificate): { cert: string; key: string } {
  return {
    cert: readPem('client_certificate', certificate, { marked: /-----BEGIN CERTIFICATE-----/, what: 'certificate' }),
    key: readPem('client_key', key, { marked: /-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/, what: 'key' }),
  };
}

interface Content {
  /** Line before the content. */
  readonly marked: RegExp;
  readonly what: string;
}

function readPem(setting: string, path: string, { marked, what }: Content): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(setting, path, `cannot be read: ${fileFault(error)}.`);
  }
  if (marked.test(text)) return text;
  const isLocked = what === 'key' && text.includes('ENCRYPTED');
  throw unusable(setting, path, isLocked ? 'has a passphrase, which is not supported' : `holds no ${what} in PEM form`);
}

function unusable(setting: string, path: string, why: string): ModelError {
  return new ModelError('unreachable', `${setting} names ${path}, which ${why}. Correct the setting or the file.`);
}
