import { readFileSync } from 'node:fs';
import { ModelError, messageOf } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import type { ClientCertificate } from '../../base/provider.ts';

/** Reads the certificate of a client and its key. Throws `ModelError` for files that cannot be used. */
export function readClientCertificate(
  { certificate, key }: ClientCertificate,
  tls: Pick<typeof import('node:tls'), 'createSecureContext'>,
): { readonly cert: string; readonly key: string } {
  const read = {
    cert: readText('client_certificate', certificate),
    key: readText('client_key', key),
  };
  try {
    tls.createSecureContext(read);
  } catch (error) {
    const why = `${certificate} and ${key} (client_certificate, client_key) are no certificate and its key in PEM form`;
    throw new ModelError('unreachable', `${why}: ${messageOf(error)}. Correct the settings or the files.`);
  }
  return read;
}

function readText(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = `${setting} names ${path}, which cannot be read: ${fileFault(error)}.`;
    throw new ModelError('unreachable', `${why} Correct the setting or remove it.`);
  }
}
