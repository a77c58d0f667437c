import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface NpmRegistry {
  readonly url: string;
  close(): void;
}

interface Entry {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly tarball: Buffer;
}

/** Starts a registry on the loopback address that has the packages in a folder, and no other. */
export async function startNpmRegistry(folder: string, scratch: string): Promise<NpmRegistry> {
  const entries = pack(
    readdirSync(folder).map((name) => join(folder, name)),
    scratch,
  );
  const server = createServer(({ url: path = '' }, response) => {
    const name = decodeURIComponent(path.slice(1)).replace(/\.tgz$/, '');
    const entry = entries.find(({ manifest }) => manifest.name === name);
    if (!entry) response.writeHead(404).end('{}');
    else response.end(path.endsWith('.tgz') ? entry.tarball : JSON.stringify(packument(entry.manifest, url)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => void server.close() };
}

/** Packs folders with one start of npm, which takes longer than the packing. */
function pack(folders: readonly string[], scratch: string): Entry[] {
  const args = ['pack', ...folders, '--ignore-scripts', '--json', '--pack-destination', scratch];
  const said = execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' });
  return (JSON.parse(said) as { readonly filename: string }[]).map(({ filename }, at) => ({
    manifest: JSON.parse(readFileSync(join(folders[at] ?? '', 'package.json'), 'utf8')) as Entry['manifest'],
    tarball: readFileSync(join(scratch, filename)),
  }));
}

/** Returns the document about a package that npm asks for. */
function packument(manifest: Entry['manifest'], url: string): object {
  const { name, version } = manifest;
  const dist = { tarball: `${url}/${encodeURIComponent(name)}.tgz` };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
