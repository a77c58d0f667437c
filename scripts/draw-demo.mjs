// Draws docs/demo.svg: a part of a real run of `oxbow demo` on a terminal. Usage: npm run demo:picture [-- --check]
// Times differ from run to run, so every time is drawn as 0.1s. With --check nothing is written, and the exit code is 1
// if the picture is not the one that is there.
import { drawScreen } from './draw/draw-screen.mjs';
import { openScreen, textOf } from './draw/open-screen.mjs';
import { writePicture } from './draw/write-picture.mjs';

const PROGRAM = new URL('../bin/oxbow', import.meta.url).pathname;
const COLUMNS = 80;

const screen = openScreen({
  // The shell outlives the demo for a moment, because node-pty can lose output of a program that has just ended.
  command: '/bin/sh',
  args: ['-c', '"$0" "$1" demo --fast; sleep 0.3', process.execPath, PROGRAM],
  columns: COLUMNS,
  rows: 40,
  env: { PATH: process.env.PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' },
});
await screen.ended;
const { rows } = await screen.read('all');
const picture = drawScreen({
  name: 'oxbow demo',
  title: 'oxbow demo: a test fails, the model changes the program, and the test passes',
  columns: COLUMNS,
  rows: shownRows(rows.map((runs) => runs.map(withoutTime))),
});
writePicture('demo', picture, { command: 'demo:picture' });

function withoutTime(run) {
  const text = run.text.replace(/\d+\.\d+s\b/g, '0.1s');
  return { ...run, text, cells: run.cells - run.text.length + text.length };
}

/** Returns the rows from the first run of the test to the answer. The time of the turn comes after it, below a blank row. */
function shownRows(found) {
  const find = (words) => {
    const row = found.findIndex((runs) => textOf(runs).startsWith(words));
    if (row < 0) throw new Error(`The demo printed no line that begins with "${words}".`);
    return row;
  };
  return found.slice(find('Now the test.'), find('took ') - 1);
}
