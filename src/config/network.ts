import { findProxy } from '../base/find-proxy.ts';
import { readClientCertificate } from './client-certificate.ts';
import { readExtraCertificates } from './extra-certificates.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the settings of connections to other machines that variables name: proxies and further certificates. */
export function readNetwork(env: Env = process.env) {
  return {
    certificates: () => readExtraCertificates(env),
    readClientCertificate,
    proxy: (url: URL) => findProxy(url, env),
  };
}
