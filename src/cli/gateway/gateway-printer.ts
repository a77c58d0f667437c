import { openJsonLog } from '../../app/log/json-log.ts';
import type { Config } from '../../config/load-config.ts';
import { printable } from '../../text/visible.ts';
import { createOutput } from '../output.ts';
import { createStyle, wantsColor } from '../print/style.ts';
import type { GatewayReport } from './load-gateway.ts';
import { reportEntry, reportLine } from './report-lines.ts';

export interface GatewayPrinterOptions {
  readonly json: boolean;
  /** Whether the terminal belongs to another program, so that only the log gets the events. */
  readonly isQuiet: boolean;
  readonly config: Pick<Config, 'home' | 'logLevel'>;
  /** Variables. The values of secret ones are not logged. */
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
}

/**
 * Prints the events of a running gateway: to people on standard error, to programs on standard output, and to its log.
 */
export interface GatewayPrinter {
  warn(warnings: readonly string[]): void;
  /** Prints a line about the start. */
  note(text: string): void;
  started(url: string): void;
  report(report: GatewayReport): void;
  reloaded(warnings: readonly string[]): void;
  notReloaded(reason: string): void;
  stopping(): void;
  /** Resolves when everything was handed to the system. */
  end(): Promise<void>;
}

export function createGatewayPrinter({ json, isQuiet, config, env, now }: GatewayPrinterOptions): GatewayPrinter {
  const output = createOutput(() => {});
  const log = openJsonLog({ home: config.home, name: 'gateway.log', env, now });
  const isWatched = process.stderr.isTTY === true && !isQuiet;
  const style = createStyle(wantsColor('auto', isWatched, process.env.NO_COLOR));
  // The gateway continues when standard error is closed.
  process.stderr.on('error', () => {});
  const tell = (text: string) => process.stderr.write(`${text}\n`);
  const warn = (warnings: readonly string[]) => {
    for (const warning of warnings) tell(`warning: ${printable(warning)}`);
  };
  const print = (entry: object) => {
    if (json) output.write(`${JSON.stringify(entry)}\n`);
  };
  return {
    warn,
    note: (text) => tell(printable(text)),
    started(url) {
      tell(`The gateway listens on ${url}/v1`);
      print({ type: 'gateway.started', url, base_url: `${url}/v1` });
    },
    report(report) {
      const entry = reportEntry(report);
      if (isWatched) process.stderr.write(reportLine(report, style));
      print(entry);
      if (isLogged(report, config.logLevel)) log(entry);
    },
    reloaded(warnings) {
      warn(warnings);
      tell('The configuration was reloaded.');
      print({ type: 'gateway.reloaded' });
    },
    notReloaded(reason) {
      tell(`The configuration was not reloaded, and the old one stays in use: ${printable(reason)}`);
      print({ type: 'gateway.reload_failed', message: reason });
    },
    stopping() {
      if (isWatched) tell('Exiting after the last exchange. A second signal exits at once.');
    },
    async end() {
      await output.end();
    },
  };
}

function isLogged({ status, error }: GatewayReport, level: Config['logLevel']): boolean {
  if (level === 'off') return false;
  return level !== 'error' || status >= 400 || error !== null;
}
