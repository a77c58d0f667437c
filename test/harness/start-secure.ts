import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export interface SecureServer {
  readonly url: string;
  /** Path of its certificate. */
  readonly certificate: string;
  /** Returns the number of connections so far. */
  connections(): number;
}

export interface MadeCertificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** Path of the certificate. */
  readonly path: string;
  /** Path of the key. */
  readonly keyPath: string;
}

/** Makes a certificate for a name, which signs itself. */
export function makeCertificate(name: string): MadeCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...made, ...names, '-keyout', keyPath, '-out', path], { stdio: 'ignore' });
  return { key: readFileSync(keyPath), cert: readFileSync(path), path, keyPath };
}

export interface SecureOptions {
  /** Name of the server in its address and in its certificate. */
  readonly name?: string;
  /** Certificate that clients have to show. */
  readonly client?: MadeCertificate;
}

/** Starts a server with its own certificate in front of another server. */
export async function startSecure(
  upstream: string,
  { name = 'localhost', client }: SecureOptions = {},
): Promise<SecureServer> {
  const made = makeCertificate(name);
  const demand = client === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: client.cert };
  let connections = 0;
  const server = createServer({ ...made, ...demand }, (incoming, response) => {
    const { method, url, headers } = incoming;
    const outgoing = request(new URL(url ?? '/', upstream), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  server.on('secureConnection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://${name}:${port}/v1`, certificate: made.path, connections: () => connections };
}
