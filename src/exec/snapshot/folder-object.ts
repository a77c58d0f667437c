import { type FolderEntry, LEFT_REASONS, type LeftReason } from './tree.ts';

/**
 * The entries of a folder by name. A name may occur twice: as a folder, and as a note that the rest of the folder was
 * left out.
 */
export type SnapshotFolder = readonly (readonly [name: string, entry: FolderEntry])[];

const HEADER = 'oxbow-folder-1';

/** Encodes a folder. The order of its entries does not change the bytes. */
export function encodeFolder(folder: SnapshotFolder): Buffer {
  const lines = folder.map(([name, entry]) => `${fields(entry)} ${name}`).sort(byBytes);
  return Buffer.from([HEADER, ...lines].map((line) => `${line}\0`).join(''), 'latin1');
}

/** Decodes the bytes of `encodeFolder`; undefined for any others. */
export function decodeFolder(bytes: Uint8Array): SnapshotFolder | undefined {
  const [header, ...lines] = Buffer.from(bytes).toString('latin1').split('\0');
  if (header !== HEADER || lines.pop() !== '') return undefined;
  const folder = lines.map(decodeLine);
  return folder.every((entry) => entry !== undefined) ? folder : undefined;
}

/** Reports whether a name is that of an ordinary entry, and leads neither elsewhere nor into git's own folder. */
export function isPlainName(name: string): boolean {
  return !/^\.{0,2}$|[/\0]/.test(name) && name.toLowerCase() !== '.git';
}

function fields(entry: FolderEntry): string {
  switch (entry.kind) {
    case 'file':
      return `f ${entry.mode.toString(8)} ${entry.id}`;
    case 'link':
      return `l - ${entry.id}`;
    case 'folder':
      return `d ${entry.mode.toString(8)} ${entry.id}`;
    case 'left':
      return `n ${entry.reason} -`;
  }
}

const LINE = /^([fldn]) (-|[0-7]{1,3}|[a-z]+) (-|[0-9a-f]{40}) (.+)$/s;

function decodeLine(line: string): readonly [string, FolderEntry] | undefined {
  const [, kind, detail = '', id = '', name = ''] = LINE.exec(line) ?? [];
  if (kind === undefined || !isPlainName(name)) return undefined;
  if (kind === 'n') {
    const reason = (detail in LEFT_REASONS ? detail : 'unreadable') as LeftReason;
    return [name, { kind: 'left', reason }];
  }
  if (id === '-') return undefined;
  if (kind === 'l') return [name, { kind: 'link', id }];
  const mode = Number.parseInt(detail, 8);
  return Number.isNaN(mode) ? undefined : [name, { kind: kind === 'f' ? 'file' : 'folder', mode, id }];
}

const byBytes = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
