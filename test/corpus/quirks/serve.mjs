import { parseArgs } from 'node:util';
import { servedCases, startCorpusServer } from './corpus-server.mjs';

const HELP = `Usage: node serve.mjs [--port N] [--list]

Serves the corpus to any client. The base URL of a case is http://127.0.0.1:PORT/<quirk>/<case>/v1; with the base URL
http://127.0.0.1:PORT/v1 the model <quirk>/<case> chooses it.

  --port N   The port; a free one by default
  --list     Print the cases and end`;

const { values } = parseArgs({
  options: { port: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});

if (values.help) console.log(HELP);
else if (values.list) {
  for (const [key, { kase }] of servedCases()) console.log(`${key.padEnd(44)} ${kase.wire.padEnd(10)} ${kase.says}`);
} else {
  const { url } = await startCorpusServer({
    port: Number(values.port ?? 0),
    onRequest: ({ key, stage }) => console.log(`${key}: ${stage}`),
  });
  console.log(`The corpus is served at ${url}/<quirk>/<case>/v1, and at ${url}/v1 with the model <quirk>/<case>.`);
}
