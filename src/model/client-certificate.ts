import type { ClientCertificate, Provider } from '../base/provider.ts';

/** Returns the certificate that requests to a provider show, as an option of a request. */
export function clientCertificateOf({ clientCertificate, clientKey }: Provider): {
  readonly clientCertificate?: ClientCertificate;
} {
  if (clientCertificate === undefined) return {};
  return { clientCertificate: { certificate: clientCertificate, key: clientKey ?? clientCertificate } };
}
