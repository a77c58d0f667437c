import { openLogFile } from '../store/log-file.ts';
import { createRedactor } from './redact.ts';

export interface JsonLogOptions {
  readonly home: string;
  /** Of the file in the folder `log` of the home. */
  readonly name: string;
  /** Values of variables whose names say that they are secret are taken out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
}

/** A log of one JSON object a line, each with its time, for programs that are no thread. */
export function openJsonLog({ home, name, env, now }: JsonLogOptions): (entry: object) => void {
  const file = openLogFile(home, name);
  const redact = createRedactor(env);
  return (entry) => file.write(redact(JSON.stringify({ time: new Date(now()).toISOString(), ...entry })));
}
