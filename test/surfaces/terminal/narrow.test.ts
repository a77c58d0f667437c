import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { scene } from '../../harness/scene.ts';
import { KEYS, startTerminal } from '../../harness/start-terminal.ts';

const CJK = '日本語のとても長いテキスト';
const HEBREW = 'שלום עולם';

test.each([
  [20, 5],
  [10, 3],
  [4, 2],
])('%i×%i: a draft and an answer in wide and right-to-left letters arrive whole', async (columns, rows) => {
  const s = await scene(() => reply(say(`${CJK} ${HEBREW} end\n`)));
  const terminal = await startTerminal([], { ...s, columns, rows });
  await terminal.shows('›');
  // The first frame may come before keys are read one by one.
  await delay(1500);
  terminal.type(`${CJK} ${HEBREW}`);
  terminal.type(KEYS.enter);
  await terminal.shows(/e\s*n\s*d/);
  expect(JSON.stringify(s.model.requests[0]?.body)).toContain(`${CJK} ${HEBREW}`);
  terminal.type(KEYS.ctrl('d'));
  expect(await terminal.wait()).toMatchObject({ code: 0 });
});

test('NO_COLOR: nothing has a colour, also with a theme', async () => {
  const s = await scene(() => reply(say('# Title\n\n```js\nconst a = 1;\n```\n')));
  const config = { tui: { theme: 'own', colors: { accent: '#ff0000' } } };
  const colored = await startTerminal(['--', 'go on'], { ...s, config });
  await colored.shows('const a = 1;');
  expect(colored.bytes()).toMatch(/\[[\d;]*38;[25];/);
  const plain = await startTerminal(['--', 'go on'], { ...s, config, env: { NO_COLOR: '1' } });
  await plain.shows('const a = 1;');
  expect(plain.bytes()).not.toMatch(/\[([\d;]*;)?(3[0-7]|4[0-7]|9[0-7]|38|48)[;m]/);
});
