export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const UTC_ZONES: ReadonlySet<string> = new Set(['UTC', 'Etc/UTC', 'Etc/UCT', 'UCT', 'Zulu', 'Etc/Zulu', 'Universal']);

/**
 * Returns the time that the user's clock shows. `timezone` must be the zone of this process. A machine that runs on UTC
 * saves 4 ms at the start, because the first look at local time makes V8 load its time zones.
 */
export function localTime(now: number, timezone: string): LocalTime {
  const date = new Date(now);
  if (UTC_ZONES.has(timezone)) {
    return {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
    };
  }
  return {
    year: date.getFullYear(),
    month: date.getMonth() + 1,
    day: date.getDate(),
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
  };
}

/** Returns a day in the form `2026-11-05`. */
export function formatDay({ year, month, day }: LocalTime): string {
  return [year, twoDigits(month), twoDigits(day)].join('-');
}

/** Returns a time of day in the form `07-08-09`. */
export function formatTimeOfDay({ hour, minute, second }: LocalTime): string {
  return [hour, minute, second].map(twoDigits).join('-');
}

/** Returns a time for people, in the zone of this process: `07:08 on 2026-11-05`. */
export function clockTime(now: number): string {
  const time = localTime(now, '');
  return `${twoDigits(time.hour)}:${twoDigits(time.minute)} on ${formatDay(time)}`;
}

const twoDigits = (n: number) => String(n).padStart(2, '0');
