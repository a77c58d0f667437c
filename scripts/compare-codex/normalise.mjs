import { constants } from 'node:os';

/** Notes of Codex on standard error about its input and its home. */
const ASIDE = /^(Reading (additional input|prompt) from stdin|WARNING: proceeding)/;

/** The first line of Codex's log, whose entries may have several lines. */
const LOG = /^TIME +(ERROR|WARN) /;

/** Labels of the output for people that programs look for. */
const LABEL = /^(session id|tokens used|ERROR)\b/;

/** Labels of the header. */
const HEADER = /^(workdir|model|provider|approval|sandbox|reasoning effort|reasoning summaries|warning)\b/;

/**
 * Returns a run with everything removed that differs between two runs of the same program: ids, folders, ports and
 * times, and the name of the program.
 */
export function normalise(run, { kind, show, header, unordered }) {
  const clean = cleaner(run);
  const isJson = run.stdout.startsWith('{"type"');
  const lines = linesOf(clean(run.stderr));
  const failed = run.code !== 0;
  const isForPeople = kind === 'flags' && !isJson && show === undefined && run.requests.length > 0;
  return {
    code: exitCode(run.code),
    ...(isJson ? { events: eventsOf(clean(run.stdout), unordered) } : { stdout: shown(clean(run.stdout), show) }),
    ...(isForPeople && { labels: labelsOf(lines, header ? [LABEL, HEADER] : [LABEL]) }),
    ...((failed || isJson) && { stderr: (lines[0] ?? '').replace(/^(PROGRAM|[Ee]rror): /, '') }),
    requests: run.requests.map((request) => JSON.parse(clean(JSON.stringify(request)))),
    files: Object.fromEntries(Object.entries(run.files).map(([name, content]) => [name, clean(content)])),
  };
}

function cleaner({ folders, url, thread }) {
  const texts = [
    ...Object.entries(folders).map(([name, path]) => [path, `/${name}`]),
    [new URL(url).host, 'SERVER'],
    ...(thread ? [[thread, 'THREAD']] : []),
  ];
  return (text) =>
    texts
      .reduce((result, [from, to]) => result.replaceAll(from, to), text)
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'ID')
      .replace(/OpenAI Codex v[\d.]+|\boxbow \d[\d.]*|codex-cli(-exec)? [\d.]+|codex-exec [\d.]+/g, 'PROGRAM VERSION')
      .replace(/\b(Codex|Oxbow|codex|oxbow)\b/g, 'PROGRAM')
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, 'TIME')
      .replace(/\b\d{1,2}:\d{2}( [AP]M)?\b/g, 'TIME')
      .replace(/\b\d{4}-\d\d-\d\d\b/g, 'DATE')
      .replace(/\b[0-9a-f]{40}\b/g, 'COMMIT');
}

/** Returns the exit code that a shell reports for a signal. */
function exitCode(code) {
  return typeof code === 'string' && code in constants.signals ? 128 + constants.signals[code] : code;
}

function eventsOf(stdout, unordered) {
  const events = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  if (!unordered) return events;
  const text = (event) => JSON.stringify({ ...event, item: event.item && { ...event.item, id: 'item' } });
  return events.map((event) => JSON.parse(text(event))).sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

/** Returns the flags of a help text instead of its words, and nothing of a version. */
function shown(stdout, show) {
  if (show === 'flags') return [...new Set(stdout.match(/--[a-z][a-z-]+/g) ?? [])].sort();
  return show === 'version' ? stdout.trim() : stdout;
}

function linesOf(stderr) {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !ASIDE.test(line));
  const log = lines.findIndex((line) => LOG.test(line));
  return log < 0 ? lines : lines.slice(0, log);
}

function labelsOf(lines, patterns) {
  return [...new Set(lines.flatMap((line) => patterns.flatMap((label) => label.exec(line)?.[1] ?? [])))].sort();
}
