import type { Metafile } from 'esbuild';

/** The most bytes that the command line may load before it knows the command. */
const CLI_START_BYTES = 30_000;

type Reach = 'everything' | 'at start';

/** Folders and packages that an entry of the build must not load. */
const MUST_NOT_REACH: readonly {
  readonly entry: string;
  readonly reach: Reach;
  readonly folders: readonly string[];
  readonly packages?: readonly string[];
}[] = [
  { entry: 'index', reach: 'everything', folders: ['cli', 'tui', 'gateway', 'mcp-server', 'testing'] },
  { entry: 'store', reach: 'everything', folders: ['cli', 'tui', 'gateway', 'mcp-server', 'testing', 'engine', 'app'] },
  { entry: 'wire', reach: 'everything', folders: ['cli', 'tui', 'gateway', 'mcp-server', 'testing'] },
  // Loaded with the first thread of an agent that has MCP servers.
  { entry: 'index', reach: 'at start', folders: ['mcp-client'], packages: ['@modelcontextprotocol'] },
  { entry: 'program/cli', reach: 'at start', folders: ['engine', 'app'] },
  // A pipe gets no Markdown.
  {
    entry: 'program/exec/exec',
    reach: 'at start',
    folders: ['markdown', 'gateway', 'testing', 'mcp-client'],
    packages: ['marked', '@modelcontextprotocol'],
  },
];

/** Returns the faults of the built graph, one line each. */
export function graphFaults(meta: Metafile): string[] {
  const missing = MUST_NOT_REACH.filter(({ entry }) => outputOf(meta, entry) === undefined);
  if (missing.length > 0) return missing.map(({ entry }) => `dist/${entry}.js: the build has no such entry`);
  return [...MUST_NOT_REACH.flatMap((rule) => forbiddenInputs(meta, rule)), ...heavyStart(meta)];
}

/** Returns the path of an entry. The entry of a command has a hash in its name. */
function outputOf({ outputs }: Metafile, entry: string): string | undefined {
  const name = new RegExp(`^dist/${entry}(?:-[A-Z0-9]{8})?\\.js$`);
  return Object.keys(outputs).find((path) => name.test(path));
}

function forbiddenInputs(
  meta: Metafile,
  { entry, reach, folders, packages = [] }: (typeof MUST_NOT_REACH)[number],
): string[] {
  const isForbidden = (path: string) =>
    folders.some((folder) => path.startsWith(`src/${folder}/`)) ||
    packages.some((name) => path.includes(`node_modules/${name}/`));
  return reached(meta, entry, reach).flatMap(([output, { inputs }]) =>
    Object.entries(inputs)
      .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && isForbidden(path))
      .map(([path]) => `dist/${entry}.js: ${reach === 'at start' ? 'loads' : 'reaches'} ${path} (in ${output})`),
  );
}

function heavyStart(meta: Metafile): string[] {
  const bytes = reached(meta, 'program/cli', 'at start').reduce((sum, [, output]) => sum + output.bytes, 0);
  return bytes > CLI_START_BYTES
    ? [`dist/program/cli.js: loads ${bytes} bytes at start, at most ${CLI_START_BYTES}`]
    : [];
}

/** Returns the outputs that an entry loads, including its own. */
function reached(meta: Metafile, entry: string, reach: Reach): [string, Metafile['outputs'][string]][] {
  const seen = new Set([outputOf(meta, entry) ?? '']);
  for (const path of seen) {
    for (const edge of meta.outputs[path]?.imports ?? []) {
      if (reach === 'everything' || edge.kind === 'import-statement') seen.add(edge.path);
    }
  }
  return Object.entries(meta.outputs).filter(([path]) => seen.has(path));
}
