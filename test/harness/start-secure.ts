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

/** Starts a server with its own certificate in front of another server. */
export async function startSecure(upstream: string): Promise<SecureServer> {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...made, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  let connections = 0;
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, response) => {
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
  return { url: `https://localhost:${port}/v1`, certificate, connections: () => connections };
}
