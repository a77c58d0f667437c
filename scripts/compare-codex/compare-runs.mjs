/**
 * Returns the differences between two normalised runs, Codex's first. Each has a place, such as `turn.failed
 * error.message`, and the two values as texts; a value that is missing is undefined.
 */
export function compareRuns(codex, oxbow) {
  const codes = values('exit code', codex.code, oxbow.code);
  // A run that did not begin differs from one that did in everything.
  if (codes.length > 0 && !(codex.events && oxbow.events))
    return [...codes, ...values('stderr', codex.stderr, oxbow.stderr)];
  return [
    ...codes,
    ...(codex.events && oxbow.events
      ? compareEvents(codex.events, oxbow.events)
      : compareOutput(codex.stdout ?? linesOf(codex.events), oxbow.stdout ?? linesOf(oxbow.events))),
    ...compareLabels(codex.labels ?? [], oxbow.labels ?? []),
    ...(codex.stderr === undefined && oxbow.stderr === undefined
      ? []
      : beginning('stderr', codex.stderr ?? '', oxbow.stderr ?? '')),
    ...compareRequests(codex.requests, oxbow.requests),
    ...fields('file', codex.files, oxbow.files),
  ];
}

function linesOf(events) {
  return events.map((event) => JSON.stringify(event)).join('\n');
}

/** Compares outputs. The flags of a help text are a list, of which ours may have more. */
function compareOutput(codex, oxbow) {
  if (!Array.isArray(codex) || !Array.isArray(oxbow)) return values('stdout', codex, oxbow);
  return missing('help', codex, oxbow);
}

function compareLabels(codex, oxbow) {
  return missing('labels', codex, oxbow);
}

function missing(place, codex, oxbow) {
  const names = codex.filter((name) => !oxbow.includes(name));
  return names.length === 0 ? [] : [{ place, codex: names.join(', ') }];
}

function compareRequests(codex, oxbow) {
  const count = values('requests', codex.length, oxbow.length);
  const pairs = codex.slice(0, oxbow.length).map((request, n) => fields('request', request, oxbow[n]));
  return [...count, ...unique(pairs.flat())];
}

/** Compares lists of events: lines that both have are matched first, then neighbours of the same kind. */
function compareEvents(codex, oxbow) {
  const differences = [];
  let at = { codex: 0, oxbow: 0 };
  for (const match of [
    ...commonLines(codex.map(kindOf), oxbow.map(kindOf)),
    { codex: codex.length, oxbow: oxbow.length },
  ]) {
    for (const event of codex.slice(at.codex, match.codex))
      differences.push({ place: `event ${kindOf(event)}`, codex: textOf(event) });
    for (const event of oxbow.slice(at.oxbow, match.oxbow))
      differences.push({ place: `event ${kindOf(event)}`, oxbow: textOf(event) });
    if (match.codex < codex.length) differences.push(...compareEvent(codex[match.codex], oxbow[match.oxbow]));
    at = { codex: match.codex + 1, oxbow: match.oxbow + 1 };
  }
  return unique(differences);
}

function kindOf({ type, item, message }) {
  const retry = /^Reconnecting\.\.\. \d+\/\d+/.exec(message ?? '')?.[0];
  return [type, item?.type, retry].filter(Boolean).join(' ');
}

function compareEvent(codex, oxbow) {
  const kind = kindOf(codex);
  const retried = kind.includes('Reconnecting');
  return fields(kind, flat(codex), flat(oxbow)).filter(({ place }) => !(retried && place.endsWith(' message')));
}

/** Returns the fields of an event by their paths. */
function flat(value, path = '') {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [path]: value };
  const entries = Object.entries(value).map(([key, inner]) => flat(inner, path === '' ? key : `${path}.${key}`));
  return Object.assign({}, ...entries);
}

/** Messages and outputs to people may go on where Codex's end: our advice stands after its words. */
const MAY_GO_ON = /message$/;

function fields(place, codex, oxbow) {
  const names = [...new Set([...Object.keys(codex), ...Object.keys(oxbow)])];
  return names.flatMap((name) => {
    const where = `${place} ${name}`;
    return MAY_GO_ON.test(name) ? beginning(where, codex[name], oxbow[name]) : values(where, codex[name], oxbow[name]);
  });
}

function beginning(place, codex, oxbow) {
  const isBegun = typeof codex === 'string' && codex !== '' && String(oxbow).startsWith(codex.replace(/\.$/, ''));
  return isBegun ? [] : values(place, codex, oxbow);
}

function values(place, codex, oxbow) {
  return textOf(codex) === textOf(oxbow) ? [] : [{ place, codex: textOf(codex), oxbow: textOf(oxbow) }];
}

function textOf(value) {
  return typeof value === 'string' || value === undefined ? value : JSON.stringify(value);
}

function unique(differences) {
  return [...new Map(differences.map((one) => [JSON.stringify(one), one])).values()];
}

/** Returns the longest list of pairs of equal entries, in the order of both lists. */
function commonLines(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const pairs = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push({ codex: i++, oxbow: j++ });
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}
