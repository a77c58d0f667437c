import { openLogFile } from '../../store/files/log-file.ts';
import { createRedactor } from './redact.ts';

export interface JsonLogOptions {
  readonly home: string;
  /** Name of the file in the folder `log` of the home. */
  readonly name: string;
  /** Variables whose values are removed from the log when their names say that they are secret. */
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
}

/** Time that lines wait to be written together. A busy program writes hundreds a second. */
const TOGETHER_MS = 20;

/** Opens a log with one JSON object a line, each with its time, for programs that run no thread. */
export function openJsonLog({ home, name, env, now }: JsonLogOptions): (entry: object) => void {
  const file = openLogFile(home, name);
  const redact = createRedactor(env);
  let waiting: { readonly at: number; readonly entry: object }[] = [];
  const write = () => {
    const entries = waiting;
    waiting = [];
    const lines = entries.map(({ at, entry }) => timed(at, JSON.stringify(entry)));
    if (lines.length > 0) file.write(redact(lines.join('\n')));
  };
  process.once('exit', write);
  return (entry) => {
    if (waiting.push({ at: now(), entry }) === 1) setTimeout(write, TOGETHER_MS).unref();
  };
}

/** Returns an object as JSON text with a time in front of its fields. A copy of the object would take longer. */
function timed(at: number, object: string): string {
  return `{"time":"${new Date(at).toISOString()}"${object === '{}' ? '' : ','}${object.slice(1)}`;
}
