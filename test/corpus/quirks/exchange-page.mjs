const MOST_CHARS = 180;

const MOST_FRAMES = 3;
const ENDINGS = {
  calls: 'the calls run',
  stop: 'the turn ends',
  cut: 'cut off, nothing runs',
  failed: 'failed',
};

/** Returns the request and the response of a case of sections G and H, in a few lines. */
export function exchangeSample({
  client,
  server,
  request,
  refuses = [],
  expect_request = [],
  answer,
  frames = [],
  expect,
}) {
  const [refusal] = refuses;
  const said = frames.map((frame) => frame.data ?? frame).filter((data) => !data.includes('response.created'));
  const lines = [
    `${client} client: ${short(JSON.stringify(request))}`,
    ...(refusal === undefined
      ? []
      : [`${server} server, where it refuses: ${refusal.status} ${short(JSON.stringify(refusal.body))}`]),
    ...(answer === undefined ? [] : [`${server} server, in its own words: ${short(JSON.stringify(answer))}`]),
    ...said.slice(0, MOST_FRAMES).map((data) => `${server} server: ${short(data)}`),
  ];
  const wanted = expect_request.map(fieldText);
  return [
    ['```text', ...lines, '```'].join('\n'),
    ...(wanted.length === 0 ? [] : [`→ to the server: ${wanted.join('; ')}`]),
    ...(expect === undefined ? [] : [`→ to the client: ${outcome(expect)}`]),
  ].join('\n\n');
}

function outcome({ text, reasoning, calls, finish }) {
  return [
    ...(reasoning === undefined ? [] : [`the reasoning \`${short(JSON.stringify(reasoning))}\``]),
    ...(text === '' ? [] : [`the text \`${short(JSON.stringify(text))}\``]),
    ...calls.map((call) => `\`${short(`${call.name} ${JSON.stringify(call.arguments ?? call.input ?? '')}`)}\``),
    ENDINGS[finish],
  ].join('; ');
}

/** Returns the table of the cases of such a quirk. */
export function exchangeTable(id, cases) {
  const rows = cases.map(({ name, client, server, says, compat, expect }) => {
    const setting = compat === undefined ? '' : `\`${settingText(compat)}\``;
    return `| ${name} | ${client} → ${server} | ${cell(says)} | ${cell(setting)} | ${expect?.repairs?.join(', ') ?? ''} |`;
  });
  return [
    '| case | wires | | setting, else learned | repairs |',
    '|---|---|---|---|---|',
    ...rows,
    `\nIn full: [${id}.json](../test/corpus/quirks/exchanges/${id}.json).`,
  ].join('\n');
}

function fieldText({ path, is, matches, absent, differs }) {
  if (absent) return `no \`${path}\``;
  if (matches !== undefined) return `\`${path}\` matches \`${short(matches)}\``;
  if (differs !== undefined) return `\`${path}\` is not that of \`${differs}\``;
  return `\`${path}\` is \`${short(JSON.stringify(is))}\``;
}

function settingText(compat) {
  return Object.entries(compat)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    .join(', ');
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}

function short(text) {
  const shown = text.replaceAll('`', "'");
  return shown.length > MOST_CHARS ? `${shown.slice(0, MOST_CHARS - 1)}…` : shown;
}
