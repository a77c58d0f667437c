import { REASONS, reasonOf } from './reasons.mjs';

/** Beginning and end of the part of the page that is written here. */
const BLOCK = /(<!-- compared -->\n)[\s\S]*?(<!-- end -->)/;

/** Returns the page with the results in the place of earlier ones. A result has a scenario and its differences. */
export function writePage(page, results, version) {
  if (!BLOCK.test(page)) throw new Error('The page has no <!-- compared --> with an <!-- end -->.');
  return page.replace(BLOCK, (_, start, end) => `${start}\n${tables(results, version).join('\n')}\n\n${end}`);
}

/** Returns the differences without a reason, each with its scenario. */
export function unexplained(results) {
  return results.flatMap(({ scenario, differences }) =>
    differences.filter((one) => reasonOf(one, scenario) < 0).map((difference) => ({ scenario, difference })),
  );
}

/** Returns the reasons that no difference has. */
export function unusedReasons(results) {
  const used = new Set(explained(results).map(({ reason }) => reason));
  return REASONS.filter((_, index) => !used.has(index)).map(({ why }) => why);
}

function tables(results, version) {
  const found = explained(results);
  const used = [...new Set(found.map(({ reason }) => reason))].sort((a, b) => a - b);
  const numberOf = (reason) => used.indexOf(reason) + 1;
  const kinds = ['json', 'flags'].map((kind) => results.filter(({ scenario }) => scenario.kind === kind));
  const same = results.filter(({ differences }) => differences.length === 0).length;
  return [
    `${version} and Oxbow ran ${kinds[0].length} scenarios with \`--json\` and ${kinds[1].length} command lines.`,
    `${same} of these ${results.length} have no difference at all.`,
    '',
    '### Differences',
    '',
    ...table(
      ['', 'place', 'Codex', 'Oxbow', 'reason'],
      used.map((reason) => {
        const { difference } = found.find((one) => one.reason === reason);
        return [
          numberOf(reason),
          difference.place,
          example(difference, difference.codex),
          example(difference, difference.oxbow),
          REASONS[reason].why,
        ];
      }),
    ),
    '',
    '### With --json',
    '',
    ...table(
      ['scenario', 'differences'],
      kinds[0].map((result) => [result.scenario.name, cell(result, numberOf)]),
    ),
    '',
    '### Command lines',
    '',
    ...table(
      ['command line', 'exit code', 'differences'],
      kinds[1].map((result) => [commandLine(result.scenario.name), result.code, cell(result, numberOf)]),
    ),
  ];
}

function explained(results) {
  return results.flatMap(({ scenario, differences }) =>
    differences
      .map((difference) => ({ scenario, difference, reason: reasonOf(difference, scenario) }))
      .filter(({ reason }) => reason >= 0),
  );
}

/** Returns the numbers of the reasons of a result, each with the places of its differences. */
function cell({ scenario, differences }, numberOf) {
  const places = new Map();
  for (const difference of differences) {
    const reason = reasonOf(difference, scenario);
    const number = reason < 0 ? Infinity : numberOf(reason);
    places.set(number, [...(places.get(number) ?? []), placeOf(difference)]);
  }
  const parts = [...places]
    .sort(([a], [b]) => a - b)
    .map(([number, list]) => `${number === Infinity ? '?' : number}: ${[...new Set(list)].join(', ')}`);
  return parts.length === 0 ? 'none' : parts.join('; ');
}

function placeOf({ place, codex, oxbow }) {
  if (place === 'exit code') return `exit code ${codex}, not ${oxbow}`;
  return place.replace(/^event /, '').replace(/ item\./, ' ');
}

/** Returns a command line as code, and the words in brackets after it as text. */
function commandLine(name) {
  const [, line, more = ''] = /^(.*?)( \(.*\))?$/.exec(name);
  return `\`oxbow ${line}\`${more}`;
}

const LONGEST = 90;

/** Returns a value as code. Of an event that only one program has, its kind is enough. */
function example({ place }, value) {
  if (value === undefined) return 'not there';
  if (place.startsWith('event ')) return code(place.slice('event '.length));
  const line = value.replace(/\s+/g, ' ').trim();
  if (line === '') return 'nothing';
  return code(line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
}

function code(text) {
  return `\`${text.replaceAll('`', "'")}\``;
}

function table(head, rows) {
  const line = (cells) =>
    `| ${cells.map((text) => String(text).replaceAll('|', '\\|')).join(' | ')} |`.replace(/ {2,}/g, ' ');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
