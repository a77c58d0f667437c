import { expect, test } from 'vitest';
import { withoutTable, withTable } from './set-table.ts';

const PATH = ['mcp_servers', 'docs'];
const TABLE = { command: 'npx', args: ['-y', 'a "b"\u007f'], env: { A: '1', 'B.C': 'x y' } };
const WRITTEN = `[mcp_servers.docs]
command = "npx"
args = ["-y", "a \\"b\\"\\u007f"]

[mcp_servers.docs.env]
A = "1"
"B.C" = "x y"
`;
const set = (text: string) => withTable(text, PATH, TABLE, 'config.toml');
const remove = (text: string) => withoutTable(text, PATH, 'config.toml');

test('a new table comes last', () => {
  expect(set('')).toBe(WRITTEN);
  expect(set('# mine\nmodel = "a" # why\n')).toBe(`# mine\nmodel = "a" # why\n\n${WRITTEN}`);
});

const OLD = `# mine
model = "a"

# the docs
[mcp_servers.docs] # here
url = "https://x"
# inside
scopes = [
  # one
  "a",
]

[mcp_servers.docs.http_headers]
X = "[mcp_servers.other]"
# after

# the others
[mcp_servers.docs2]
command = "b"
`;

test('an old table is replaced in its place, and comments around it stay', () => {
  expect(set(OLD)).toBe(
    `# mine\nmodel = "a"\n\n# the docs\n\n${WRITTEN}\n# after\n\n# the others\n[mcp_servers.docs2]\ncommand = "b"\n`,
  );
  expect(remove(OLD)).toBe(
    '# mine\nmodel = "a"\n\n# the docs\n\n# after\n\n# the others\n[mcp_servers.docs2]\ncommand = "b"\n',
  );
  expect(remove(set('model = "a"\n'))).toBe('model = "a"\n');
  expect(remove(WRITTEN)).toBe('');
});

test.each([
  ['dotted keys', 'mcp_servers.docs.command = "a"\nmodel = "b"\n', 'model = "b"\n'],
  ['an inline table', '[mcp_servers]\ndocs = { command = "a" }\nb.command = "c"\n', '[mcp_servers]\nb.command = "c"\n'],
  ['the only one of its table', '[mcp_servers]\ndocs.command = "a"\n', '[mcp_servers]\n'],
  [
    'tables in two places',
    '[mcp_servers.docs]\ncommand = "a"\n\n[x]\ny = 1\n\n[mcp_servers.docs.env]\nA = "1"\n',
    '[x]\ny = 1\n',
  ],
  [
    'text that looks like a heading',
    't = """\n[mcp_servers.docs]\n"""\n[mcp_servers.docs]\ncommand = "a"\n',
    't = """\n[mcp_servers.docs]\n"""\n',
  ],
])('%s can be removed', (_, text, rest) => {
  expect(remove(text)).toBe(rest);
  expect(set(text)).toContain(WRITTEN);
});

test('a file of another form stays as it is', () => {
  const text = 'mcp_servers = { docs = { command = "a" } }\n';
  expect(() => remove(text)).toThrow('config.toml has another form. Remove mcp_servers.docs from it.');
  expect(() => set(text)).toThrow('config.toml has another form. Write into it:\n[mcp_servers.docs]');
});

test('flags and numbers are written as they are', () => {
  const table = { base_url: 'http://x', compat: { text_calls: false, max_stops: 1, drop_fields: ['store'] } };
  expect(withTable('', ['model_providers', 'x'], table, 'config.toml')).toBe(`[model_providers.x]
base_url = "http://x"

[model_providers.x.compat]
text_calls = false
max_stops = 1
drop_fields = ["store"]
`);
});
