/** Option of commands that contact servers. */
export const OFFLINE_OPTION = {
  offline: { type: 'boolean', help: 'Contact this machine only, the same as -c offline=true' },
} as const;

/** Returns the settings of `-c` with the one of `--offline`, which wins. */
export function withOffline(overrides: readonly string[] = [], offline = false): readonly string[] {
  return offline ? [...overrides, 'offline=true'] : overrides;
}
