import { afterAll, beforeAll, expect, test } from 'vitest';
import { eachModel, type GatewayScene, startGatewayScene } from '../quirks/gateway-scene.ts';
import { type ClientReading, readAsClient, type SpokenWire } from './read-as-client.ts';
import { type Meaning, type Recording, readRecordings, requestFor } from './recording.ts';

// The recordings are not part of the project. Without them no test counts as skipped.
const folder = process.env.OXBOW_RECORDINGS;
if (folder) testRecordings(readRecordings(folder));
else {
  test('without recordings there is nothing to test', () => {
    expect(folder).toBeFalsy();
  });
}

function testRecordings(files: ReadonlyMap<string, readonly Recording[]>): void {
  const byId = new Map([...files.values()].flat().map((recording) => [recording.id, recording]));
  let scene: GatewayScene;

  beforeAll(async () => {
    scene = await startGatewayScene({
      targets: eachModel((id) => ({ wire: byId.get(id)?.wire ?? 'chat' })),
      answer({ body }, response) {
        const { status, sent = status, stream, body: text = '' } = byId.get(String(body.model)) ?? { status: 404 };
        response.writeHead(sent, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; at += PIECE) response.write(bytes.subarray(at, at + PIECE));
        response.end();
      },
    });
  });
  afterAll(() => scene.close());

  test.each([...files])('every answer in %s reaches clients of both wires', { timeout: 300_000 }, async (_, list) => {
    const faults: string[] = [];
    const waiting = list.flatMap((recording) => waysOf(recording).map((way) => ({ recording, ...way })));
    const work = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { recording, wire, stream } = next;
        const { id, provider, model } = recording;
        const found = await faultsOf(scene, recording, wire, stream);
        faults.push(...found.map((it) => `${id} ${provider} ${model}, ${wire}${stream ? ' stream' : ''}: ${it}`));
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(faults).toEqual([]);
  });
}

/** Bytes that a server writes at once. Frames are cut anywhere. */
const PIECE = 700;
const PATHS: Readonly<Record<SpokenWire, string>> = { chat: '/v1/chat/completions', responses: '/v1/responses' };

interface Way {
  readonly wire: SpokenWire;
  readonly stream: boolean;
}

function waysOf({ wire, stream, ways }: Recording): readonly Way[] {
  if (ways === 'same') return [{ wire, stream }];
  return (['chat', 'responses'] as const).flatMap((client) => [
    { wire: client, stream: true },
    { wire: client, stream: false },
  ]);
}

async function faultsOf(
  scene: GatewayScene,
  recording: Recording,
  wire: SpokenWire,
  stream: boolean,
): Promise<string[]> {
  const { expect: meant, status } = recording;
  const answered = await scene.ask(PATHS[wire], requestFor(recording, wire, stream));
  if (status >= 400 || answered.status >= 400) {
    const isTold = answered.status >= 400 || answered.bytes.includes('context_length_exceeded');
    return isTold && (status >= 400 || meant.error) ? [] : [`${answered.status} ${answered.bytes}`.slice(0, 200)];
  }
  const read = readAsClient(wire, answered.bytes, stream);
  if (meant.error) return read.failed || read.finish === 'error' ? [] : ['the error is lost'];
  const hidesCutCalls = wire === 'responses' && recording.wire === 'chat';
  const isPassed = wire === recording.wire && stream === recording.stream;
  const overlap = read.overlaps && !isPassed ? ['items overlap'] : [];
  return [...differences(meant, read, hidesCutCalls), ...read.faults, ...overlap];
}

function differences(meant: Meaning, read: ClientReading, hidesCutCalls: boolean): string[] {
  const texts = [meant.text, meant.texts?.join('\n\n'), meant.texts?.join('\n')].map((text) => text?.trim());
  const calls = meant.calls.map(([name, input, kind]) => `${name} ${kind === 'custom' ? input : sorted(input)}`);
  const came = read.calls.map(({ name, input, kind }) => `${name} ${kind === 'custom' ? input : sorted(input)}`);
  const checks: Readonly<Record<string, boolean>> = {
    text: texts.includes(read.text.trim()),
    reasoning: packed(meant.reasoning) === packed(read.reasoning),
    refusal: (meant.refusal ?? '') === read.refusal,
    // The chat wire cannot take back the beginning of a call: the finish signal says that it was cut off.
    calls: meant.cut ? !hidesCutCalls || read.calls.length === 0 : calls.join('\n') === came.join('\n'),
    finish: meant.finish === read.finish,
    usage: meant.usage === null || sorted(JSON.stringify(meant.usage)) === sorted(JSON.stringify(read.usage)),
  };
  const wrong = Object.keys(checks).filter((name) => checks[name] === false);
  return wrong.length === 0 ? [] : [`${wrong.join(', ')}: ${JSON.stringify(read).slice(0, 300)}`];
}

const packed = (text: string) => text.replace(/\s+/g, '');

/** Returns a JSON text with the fields of its objects in order. Any other text is returned as it is. */
function sorted(text: string): string {
  const inOrder = (_: string, value: unknown) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  try {
    return JSON.stringify(JSON.parse(text), inOrder);
  } catch {
    return text;
  }
}
