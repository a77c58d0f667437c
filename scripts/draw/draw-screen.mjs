/** Sizes in pixels. */
const CHAR = 7.8;
const LINE = 18;
const MARGIN = 20;
const TITLE = 36;

/** The 16 colours of a terminal, on a light and on a dark background. */
const LIGHT = [
  ...['#1f2328', '#cf222e', '#1a7f37', '#9a6700', '#0550ae', '#8250df', '#0969da', '#6e7781'],
  ...['#6e7781', '#a40e26', '#1a7f37', '#7d4e00', '#0550ae', '#8250df', '#0969da', '#1f2328'],
];
const DARK = [
  ...['#30363d', '#ff7b72', '#3fb950', '#d29922', '#79c0ff', '#d2a8ff', '#58a6ff', '#b1bac4'],
  ...['#848d97', '#ffa198', '#56d364', '#e3b341', '#a5d6ff', '#e2c5ff', '#79c0ff', '#f0f6fc'],
];

const variables = (colors, others) => [...colors.map((color, at) => `--c${at}: ${color}`), others].join('; ');

const STYLE = `
svg { ${variables(LIGHT, '--back: #ffffff; --edge: #d0d7de; --text: #1f2328; --dim: #6e7781')} }
@media (prefers-color-scheme: dark) {
svg { ${variables(DARK, '--back: #0d1117; --edge: #30363d; --text: #e6edf3; --dim: #848d97')} }
}
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text) }
.window { fill: var(--back); stroke: var(--edge) }
.name { fill: var(--dim); text-anchor: middle; font-size: 12px }
.bold { font-weight: 600 }
.italic { font-style: italic }
.underline { text-decoration: underline }
.dim { fill: var(--dim) }
.inverse { fill: var(--back) }
.sign { font-size: 8px; font-weight: 600 }
`;

/**
 * Draws rows of a terminal as a window, for a light and a dark page. A row is a list of runs, each with its column, its
 * number of cells, its text and its look. `name` stands at the top of the window, `title` is for people who cannot see it.
 */
export function drawScreen({ name, title, columns, rows, caret = null }) {
  const width = columns * CHAR + 2 * MARGIN;
  const height = TITLE + rows.length * LINE + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<style>${STYLE}${colorRules(rows)}</style>`,
    `<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<text class="name" x="${width / 2}" y="${TITLE - 13}">${escapeText(name)}</text>`,
    ...rows.flatMap((runs, row) => runs.flatMap((run) => drawRun(run, TITLE + row * LINE))),
    ...(caret === null ? [] : [drawCaret(caret)]),
    '</svg>\n',
  ].join('\n');
}

/** Returns the rules for the colours that the rows use: `f2` for text, `b2` for a background. */
function colorRules(rows) {
  const used = new Set(rows.flat().flatMap(({ look, back }) => [...look, ...(back === null ? [] : [back])]));
  return [...used]
    .filter((name) => /^[fb]\d+$/.test(name))
    .map((name) => `.${name} { fill: var(--c${name.slice(1)}) }\n`)
    .join('');
}

/** Draws a run at its column and with its width, so that the columns line up in every font. */
function drawRun({ column, cells, text, look, back }, y) {
  const box = back === null ? [] : [rect(back, column, cells, y)];
  const words = text.trim();
  if (words === '') return box;
  if (CONTROL_PICTURE.test(text)) return [...box, ...drawPicturesOf({ column, text, look }, y)];
  const first = column + text.length - text.trimStart().length;
  const length = ((cells - (text.length - words.length)) * CHAR).toFixed(1);
  const kind = look.length === 0 ? '' : ` class="${look.join(' ')}"`;
  const place = `x="${(MARGIN + first * CHAR).toFixed(1)}" y="${y + 0.75 * LINE}"`;
  return [...box, `<text${kind} ${place} textLength="${length}" xml:space="preserve">${escapeText(words)}</text>`];
}

/** Signs for control characters. Many fonts lack them, so they are drawn as the small letters that they consist of. */
const CONTROL_PICTURE = /[\u2400-\u2421]/;
const CONTROL_NAMES =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US SP DEL';

function drawPicturesOf({ column, text, look }, y) {
  return [...text].flatMap((char, at) => {
    const run = { column: column + at, cells: 1, text: char, look, back: null };
    if (!CONTROL_PICTURE.test(char)) return drawRun(run, y);
    const name = CONTROL_NAMES.split(' ')[char.charCodeAt(0) - 0x2400];
    const place = `x="${(MARGIN + run.column * CHAR + 0.4).toFixed(1)}" y="${y + 0.65 * LINE}" textLength="${CHAR - 0.8}"`;
    return [`<text class="${[...look, 'sign'].join(' ')}" ${place} lengthAdjust="spacingAndGlyphs">${name}</text>`];
  });
}

function rect(back, column, cells, y) {
  const fill = back === 'text' ? 'style="fill: var(--text)"' : `class="${back}"`;
  return `<rect ${fill} x="${(MARGIN + column * CHAR).toFixed(1)}" y="${y}" width="${(cells * CHAR).toFixed(1)}" height="${LINE}"/>`;
}

function drawCaret({ row, column }) {
  const [x, y] = [MARGIN + column * CHAR, TITLE + row * LINE];
  return `<rect style="fill: var(--text); opacity: 0.6" x="${x.toFixed(1)}" y="${y + 1}" width="${CHAR}" height="${LINE - 2}"/>`;
}

function escapeText(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
