// Draws docs/demo.svg: a part of a real run of `oxbow demo` on a terminal. Usage: npm run demo:picture [-- --check]
// Times differ from run to run, so every time is drawn as 0.1s. With --check nothing is written, and the exit code is 1
// if the picture is not the one that is there.
import { readFileSync, writeFileSync } from 'node:fs';
import { spawn } from '@lydell/node-pty';

const PICTURE = new URL('../docs/demo.svg', import.meta.url);
const PROGRAM = new URL('../bin/oxbow', import.meta.url).pathname;

const COLUMNS = 80;
const ROWS = 40;

/** Sizes in pixels. */
const CHAR = 7.8;
const LINE = 18;
const MARGIN = 20;
const TITLE = 36;

/** The classes that an escape code switches on and off. */
const STYLES = { 1: ['bold'], 2: ['dim'], 31: ['red'], 32: ['green'], 33: ['yellow'], 36: ['cyan'] };
const ENDS = { 0: Object.values(STYLES).flat(), 22: ['bold', 'dim'], 39: ['red', 'green', 'yellow', 'cyan'] };

const STYLE = `
svg { --back: #ffffff; --edge: #d0d7de; --text: #1f2328; --dim: #6e7781; --red: #cf222e; --green: #1a7f37; --yellow: #9a6700; --cyan: #0969da }
@media (prefers-color-scheme: dark) {
svg { --back: #0d1117; --edge: #30363d; --text: #e6edf3; --dim: #848d97; --red: #ff7b72; --green: #3fb950; --yellow: #d29922; --cyan: #58a6ff }
}
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text) }
.window { fill: var(--back); stroke: var(--edge) }
.name { fill: var(--dim); text-anchor: middle; font-size: 12px }
.bold { font-weight: 600 }
.dim { fill: var(--dim) }
.red { fill: var(--red) }
.green { fill: var(--green) }
.yellow { fill: var(--yellow) }
.cyan { fill: var(--cyan) }
`;

const picture = draw(shownLines(parseLines(await runDemo())));
if (!process.argv.includes('--check')) writeFileSync(PICTURE, picture);
else if (readFileSync(PICTURE, 'utf8') !== picture) {
  process.stderr.write('docs/demo.svg is not what oxbow demo prints. Run: npm run demo:picture\n');
  process.exitCode = 1;
}

/** Returns everything that the demo prints on a terminal. */
function runDemo() {
  // The shell outlives the demo for a moment, because node-pty can lose output of a program that has just ended.
  const terminal = spawn('/bin/sh', ['-c', '"$0" "$1" demo --fast; sleep 0.3', process.execPath, PROGRAM], {
    name: 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' },
  });
  let text = '';
  terminal.onData((data) => {
    text += data;
  });
  return new Promise((resolve) => terminal.onExit(() => resolve(text)));
}

/** Splits the output into lines of runs. A run is a text and the classes of its look. */
function parseLines(output) {
  const active = new Set();
  return output.split(/\r*\n/).map((line) =>
    // Each part but the first begins with the codes of a style, up to the letter m.
    line.split('\u001b[').flatMap((part, at) => {
      const end = at === 0 ? -1 : part.indexOf('m');
      if (at > 0) for (const code of part.slice(0, end).split(';')) switchLook(active, code || '0');
      const text = part.slice(end + 1).replace(/\d+\.\d+s\b/g, '0.1s');
      return text === '' ? [] : [{ text, look: [...active].join(' ') }];
    }),
  );
}

function switchLook(active, code) {
  for (const name of ENDS[code] ?? []) active.delete(name);
  for (const name of STYLES[code] ?? []) active.add(name);
}

/** Returns the lines from the first run of the test to the answer. The time of the turn comes after it, below a blank line. */
function shownLines(lines) {
  const find = (words) => {
    const row = lines.findIndex((runs) => runs[0]?.text.startsWith(words));
    if (row < 0) throw new Error(`The demo printed no line that begins with "${words}".`);
    return row;
  };
  return lines.slice(find('Now the test.'), find('took ') - 1);
}

function draw(lines) {
  const width = COLUMNS * CHAR + 2 * MARGIN;
  const height = TITLE + lines.length * LINE + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    '<title>oxbow demo: a test fails, the model changes the program, and the test passes</title>',
    `<style>${STYLE}</style>`,
    `<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<text class="name" x="${width / 2}" y="${TITLE - 13}">oxbow demo</text>`,
    ...lines.flatMap((runs, row) => drawLine(runs, TITLE + (row + 0.75) * LINE)),
    '</svg>\n',
  ].join('\n');
}

/** Draws each run at its column and with its width, so that the columns line up in every font. */
function drawLine(runs, y) {
  let column = 0;
  return runs.flatMap(({ text, look }) => {
    const words = text.trim();
    const x = (MARGIN + (column + text.length - text.trimStart().length) * CHAR).toFixed(1);
    column += text.length;
    if (words === '') return [];
    const kind = look === '' ? '' : ` class="${look}"`;
    const length = (words.length * CHAR).toFixed(1);
    return [`<text${kind} x="${x}" y="${y}" textLength="${length}" xml:space="preserve">${escapeText(words)}</text>`];
  });
}

function escapeText(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
