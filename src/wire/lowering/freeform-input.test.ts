import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeformInput } from './freeform-input.ts';

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch';
const read = (written: unknown, tool = 'apply_patch') =>
  freeformInput(typeof written === 'string' ? written : JSON.stringify(written), tool);

describe('the input of a tool is found', () => {
  test.each<[string, unknown]>([
    ['as it is', PATCH],
    ['under the name of the parameter', { input: PATCH }],
    ['under that name, next to others', { input: PATCH, explanation: 'I add a file.', path: 'a.txt' }],
    ['under another name', { patch: PATCH }],
    ['under an empty name', { '': PATCH }],
    ['next to settings', { content: PATCH, dry_run: false, timeout: 5, options: {}, tags: [], workdir: null }],
    ['in a command line', { command: ['apply_patch', PATCH] }],
    ['in a command line without an object', ['apply_patch', PATCH]],
    ['in a command line of another tool', { cmd: ['applypatch', PATCH] }],
    ['in a JSON string', JSON.stringify(PATCH)],
    ['in a code fence', `\`\`\`\n${PATCH}\n\`\`\``],
    ['in a code fence with a language and blanks around it', `\n\`\`\`diff \n${PATCH}\n\`\`\`\n`],
    ['in a code fence in an object', { input: `\`\`\`patch\n${PATCH}\n\`\`\`` }],
    ['between lines of which one ends with stars', PATCH.replace('Begin Patch', 'Begin Patch ***')],
    ['between lines that both end with stars', PATCH.replaceAll(/(Begin|End) Patch/g, '$& ***')],
  ])('%s', (_, written) => {
    expect(read(written)).toBe(PATCH);
  });

  test('whose patch shows a code fence', () => {
    const patch = '*** Begin Patch\n*** Add File: a.md\n+```js\n+x\n+```\n ```\n*** End Patch';
    expect(read(`\`\`\`\n${patch}\n\`\`\``)).toBe(patch);
  });

  test('with unchanged endings of its first and last line', () => {
    expect(read('\n*** Begin Patch ***\r\n+a\r\n*** End Patch ***\r\n')).toBe(
      '\n*** Begin Patch\r\n+a\r\n*** End Patch\r\n',
    );
  });
});

describe('a text is unchanged', () => {
  test.each<[string, unknown]>([
    ['that is empty', ''],
    ['that is JSON of several texts', { a: 'x', b: 'y' }],
    ['that is JSON with more than a text in it', { a: 'x', b: [1] }],
    ['that is JSON without a text', { a: 1 }],
    ['that is a command line of another program', { command: ['ls', '-l'] }],
    ['that is a longer command line', ['apply_patch', PATCH, 'x']],
    ['that is a list', ['x']],
    ['that is a number', '42'],
    ['that is torn', '{"input":"*** Begin'],
    ['that has two code fences', '```\na\n```\n```\nb\n```'],
    ['that begins with a code fence', '```\na\n```\nb'],
    ['that opens a code fence with words behind it', '```js of mine\na\n```'],
    ['that speaks of an envelope', 'write *** Begin Patch ***\nand *** End Patch ***'],
    ['that has a closed line inside', '*** Begin Patch\n+*** End Patch ***\n*** End Patch'],
  ])('%s', (_, written) => {
    expect(read(written)).toBe(typeof written === 'string' ? written : JSON.stringify(written));
  });
});

test('a wrapped parameter is unwrapped, and a patch does not change a second time', () => {
  const anyLine = fc.string({ unit: 'grapheme' }).map((text) => `+${text.replaceAll(/[\r\n]/g, '')}`);
  const anyPatch = fc.array(anyLine).map((lines) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'));
  fc.assert(
    fc.property(anyPatch, fc.constantFrom('input', 'patch', 'x'), (patch, name) => {
      expect(read({ [name]: patch })).toBe(patch);
      expect(read(patch)).toBe(patch);
    }),
  );
});

test('any text is accepted', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string().map((text) => `\`\`\`${text}`),
      ),
      (written) => {
        expect(typeof freeformInput(written, 'f')).toBe('string');
      },
    ),
  );
});
