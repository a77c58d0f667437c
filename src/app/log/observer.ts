import type { Event, Warning } from '../../base/event.ts';
import type { World } from '../../base/world.ts';
import type { Config } from '../../config/load-config.ts';
import type { LogFile } from '../../store/files/log-file.ts';
import { guardCallback } from '../options/guard-callback.ts';
import { openActivityLog } from './activity-log.ts';

export interface ObserverParts {
  readonly config: Config;
  readonly world: World;
  readonly logFile: LogFile;
  /** Further values that must not be shown. */
  readonly secrets?: Iterable<string> | undefined;
}

export interface ObserverCallbacks {
  readonly onLog?: ((line: string) => void) | undefined;
  readonly onWarning?: ((warning: Warning) => void) | undefined;
}

/**
 * Returns the function that receives every event of every thread: it writes the log and reports warnings. Reports the
 * warnings of the configuration at once.
 */
export function createObserver(
  { onLog, onWarning }: ObserverCallbacks,
  { config, world, logFile, secrets }: ObserverParts,
): (event: Event) => void {
  const warn = onWarning === undefined ? () => {} : guarded(onWarning);
  const ownLog = onLog && guardCallback('onLog', onLog, (message) => warn({ code: 'callback', message }));
  const log = openActivityLog(config, world, logFile, ownLog, secrets);
  for (const message of config.warnings) warn({ code: 'config', message });
  return (event) => {
    log(event);
    if (event.type !== 'warning') return;
    const { code, message } = event;
    if (code !== 'config' || !config.warnings.includes(message)) warn({ code, message });
  };
}

function guarded(onWarning: (warning: Warning) => void): (warning: Warning) => void {
  return guardCallback('onWarning', onWarning, (message) => process.emitWarning(message));
}
