import { readFileSync, writeFileSync } from 'node:fs';
import { exchangeSample, exchangeTable } from './exchange-page.mjs';
import { readCorpus } from './read-corpus.mjs';
import { readExchanges } from './read-exchanges.mjs';
import { sampleOf } from './sample.mjs';

const PAGE = new URL('../../../docs/wire-quirks.md', import.meta.url);
const SECTIONS = {
  A: 'Finish signals',
  B: 'Identity of calls',
  C: 'Arguments',
  D: 'Calls in the text',
  E: 'Reasoning',
  F: 'Framing, errors, usage',
  G: 'What servers refuse',
  H: 'Between the Responses wire and the chat wire',
  I: 'Messages and Ollama',
};
const EXCHANGES = new Set(['G', 'H']);
const ENDINGS = { calls: 'the calls run', stop: 'the turn ends', cut: 'cut off, nothing runs', failed: 'failed' };
const MOST_CASES = 8;

const page = writePage([...readCorpus(), ...readExchanges()]);
if (!process.argv.includes('--check')) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/wire-quirks.md is not what the corpus says. Run: node test/corpus/quirks/write-page.mjs');
  process.exitCode = 1;
}

/** Returns the page of these quirks, as Markdown. */
function writePage(quirks) {
  const intro = readFileSync(new URL('wire-quirks-intro.md', import.meta.url), 'utf8').trimEnd();
  const sections = Object.entries(SECTIONS).map(([letter, title]) => {
    const own = quirks.filter(({ id }) => id[0] === letter);
    return [`## ${letter}. ${title}`, ...own.map(quirkText)].join('\n\n');
  });
  return `${[intro, contents(quirks), ...sections].join('\n\n')}\n`;
}

function contents(quirks) {
  const rows = quirks.map(
    ({ id, title, cases }) => `| [${id}](#${id.toLowerCase()}) | ${cell(title)} | ${cases.length} |`,
  );
  return ['## Contents', ['| quirk | | cases |', '|---|---|---|', ...rows].join('\n')].join('\n\n');
}

function quirkText({ id, title, servers, consequence, repair, cases, reason, sources }) {
  return [
    `<a id="${id.toLowerCase()}"></a>\n\n### ${id} ${title}`,
    [`- Seen with: ${servers.join('; ')}.`, `- What breaks: ${consequence}`, `- What is right: ${repair}`].join('\n'),
    ...(cases.length === 0 ? [`No cases: ${reason}`] : casesText(id, cases)),
    `Sources: ${sources.map(sourceLink).join(' · ')}`,
  ].join('\n\n');
}

function casesText(id, cases) {
  return EXCHANGES.has(id[0])
    ? [exchangeSample(cases[0]), exchangeTable(id, cases)]
    : [sampleText(cases), caseTable(id, cases)];
}

/** Returns a link to a source. Issues are named by their number. */
function sourceLink(url) {
  const [, repository, number] = /^https:\/\/github\.com\/([^/]+\/[^/]+)\/(?:issues|pull)\/(\d+)$/.exec(url) ?? [];
  return repository === undefined ? `<${url}>` : `[${repository}#${number}](${url})`;
}

/** Returns the first case that has a response, with its result. */
function sampleText(cases) {
  const shown = cases.find(({ expect }) => expect !== undefined);
  if (shown === undefined) return requestText(cases[0]);
  return ['```text', ...sampleOf(shown), '```', '', `→ ${outcome(shown.expect)}`].join('\n');
}

function requestText({ history, expect_request }) {
  const lines = history.map((item) => short(JSON.stringify(item)));
  return ['```text', ...lines, '```', '', `→ in the next request: ${fields(expect_request)}`].join('\n');
}

function fields(expected) {
  return expected
    .map(({ path, is, matches, absent, same, differs }) => {
      if (absent) return `no \`${path}\``;
      if (matches !== undefined) return `\`${path}\` matches \`${matches}\``;
      if (same !== undefined) return `\`${path}\` is that of \`${same}\``;
      return differs === undefined
        ? `\`${path}\` is \`${short(JSON.stringify(is))}\``
        : `\`${path}\` is not that of \`${differs}\``;
    })
    .join('; ');
}

function outcome({ text, calls, finish, repairs }) {
  const parts = [
    ...(text === '' ? [] : [`the text \`${short(JSON.stringify(text))}\``]),
    ...calls.map((call) => `\`${short(`${call.name} ${JSON.stringify(call.arguments ?? call.input)}`)}\``),
    ENDINGS[finish],
    repairs.length === 0 ? 'no repair' : `repaired ${repairs.join(', ')}`,
  ];
  return parts.join('; ');
}

function caseTable(id, cases) {
  const rows = cases.slice(0, MOST_CASES).map(({ name, wire, says, expect, expect_request }) => {
    const result = expect === undefined ? `${expect_request.length} fields` : expect.finish;
    const repairs = expect?.repairs.join(', ') ?? '';
    return `| ${name} | ${wire} | ${cell(says)} | ${result} | ${repairs} |`;
  });
  const more = cases.length - MOST_CASES;
  return [
    '| case | wire | | finish | repairs |',
    '|---|---|---|---|---|',
    ...rows,
    ...(more > 0 ? [`\n${more} more in [${id}.json](../test/corpus/quirks/${id}.json).`] : []),
  ].join('\n');
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}

function short(text) {
  const shown = text.replaceAll('`', "'");
  return shown.length > 110 ? `${shown.slice(0, 107)}...` : shown;
}
