import { expect, test } from 'vitest';
import { withSetting } from './set-setting.ts';

const FILE = '# mine\nmodel = "a"  # the # old one\n\n[tui]\nx = 1\n\n[tools] # below\nview_image = true\n';
const set = (text: string, key: string, value: string) => withSetting(text, key.split('.'), value, 'config.toml');

test.each([
  ['a value in place, with its comment', 'model', '"b"', ['model = "b"  # the # old one']],
  ['a new key at the top', 'approval_policy', '"never"', ['approval_policy = "never"', '', '[tui]']],
  ['a new key in its table', 'tools.web_search', 'true', ['[tools] # below', 'web_search = true', 'view_image = true']],
  ['a new table', 'snapshots.enabled', 'true', ['view_image = true', '', '[snapshots]', 'enabled = true', '']],
])('%s', (_, key, value, lines) => {
  const text = set(FILE, key, value);
  expect(text).toContain(lines.join('\n'));
  expect(text).toContain('# mine\n');
  expect(text.split('\n').filter((line) => FILE.split('\n').includes(line)).length).toBeGreaterThanOrEqual(
    FILE.split('\n').length - 1,
  );
});

test('long values, dotted keys and look-alikes in texts', () => {
  expect(set('a = [\n  1, # one\n  2,\n]\nb = 1\n', 'a', '[3]')).toBe('a = [3]\nb = 1\n');
  expect(set('tools.view_image = true\n', 'tools.view_image', 'false')).toBe('tools.view_image = false\n');
  expect(set('t = """\nmodel = "x"\n"""\nmodel = "a"\n', 'model', '"b"')).toBe(
    't = """\nmodel = "x"\n"""\nmodel = "b"\n',
  );
  expect(set('', 'model', '"a"')).toBe('model = "a"\n');
  expect(() => set('tools = { view_image = true }\n', 'tools.view_image', 'false')).toThrow(
    'config.toml has another form. Write into it: tools.view_image = false',
  );
});
