import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { servedCases, startCorpusServer } from './corpus-server.mjs';
import { judgeCase } from './judge-case.mjs';

const HELP = `Usage: node check.mjs --command 'CLIENT --base-url {url} --model {model} "do it"' [options]

Starts the command once for each case of the corpus, serves it the case's response and says whether the client ran
exactly the calls that the case holds. In the command {url} is the base URL, {model} the model and {wire} chat or
responses. Run it in a scratch folder: the client runs the commands of the corpus, all of them echo or true.

  --only A1,B6        These quirks, sections (A) or cases (A1/healthy)
  --wire chat         Cases of this wire
  --jobs N            Commands at a time; 4 by default
  --timeout SECONDS   For one command; 60 by default
  --port N            The port of the server, for a gateway whose upstream it is
  --json              One JSON object for each case instead of the table
  --verbose           What the command printed, for the cases that fail`;

const { values } = parseArgs({
  options: {
    command: { type: 'string' },
    only: { type: 'string' },
    wire: { type: 'string' },
    jobs: { type: 'string', default: '4' },
    timeout: { type: 'string', default: '60' },
    port: { type: 'string', default: '0' },
    json: { type: 'boolean' },
    verbose: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help || values.command === undefined) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const results = await checkAll(values);
  if (!values.json) console.log(summary(results));
  process.exitCode = results.some(({ result }) => result === 'fail') ? 1 : 0;
}

async function checkAll({ command, jobs, port, json, verbose, timeout }) {
  const requests = new Map();
  const server = await startCorpusServer({
    port: Number(port),
    onRequest: (request) => requests.set(request.key, [...(requests.get(request.key) ?? []), request]),
  });
  const waiting = chosenCases();
  const results = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [key, { kase }] = next;
      const line = fill(command, { url: `${server.url}/${key}/v1`, model: key, wire: kase.wire });
      const { code, printed } = await run(line, Number(timeout) * 1000);
      const result = { case: key, ...judgeCase(kase, requests.get(key) ?? []), exit_code: code };
      results.push(result);
      console.log(json ? JSON.stringify(result) : row(result));
      if (verbose && result.result === 'fail') console.log(printed.replaceAll(/^/gm, '    '));
    }
  };
  await Promise.all(Array.from({ length: Number(jobs) }, work));
  await server.close();
  return results;
}

/** Returns the cases without those that need a setting of the client, which only its user can make. */
function chosenCases() {
  const only = values.only?.split(',');
  return [...servedCases()].filter(([key, { quirk, kase }]) => {
    if (kase.compat !== undefined || (values.wire ?? kase.wire) !== kase.wire) return false;
    return only === undefined || only.some((one) => one === key || one === quirk.id || one === quirk.id[0]);
  });
}

function fill(command, words) {
  return command.replaceAll(/\{(url|model|wire)\}/g, (_, word) => words[word]);
}

function run(line, timeoutMs) {
  return new Promise((resolve) => {
    const child = spawn(line, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (printed += data));
    // Processes of the command must not outlive it.
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), timeoutMs);
    child.on('error', (error) => {
      printed += error.message;
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, printed });
    });
  });
}

function row({ case: key, result, why }) {
  return `${result.padEnd(5)} ${key.padEnd(44)} ${why}`.trimEnd();
}

function summary(results) {
  const count = (wanted) => results.filter(({ result }) => result === wanted).length;
  return `${count('pass')} passed, ${count('fail')} failed, ${count('skip')} skipped`;
}
