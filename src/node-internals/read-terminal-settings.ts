interface SyncSpawn {
  spawn(options: object): { readonly status?: number; readonly output?: readonly (Uint8Array | null)[] | null };
}

/**
 * Returns the settings of a terminal as `stty` understands them, or undefined where they cannot be had at once. Calls the
 * part of Node below `spawnSync`: the module around it takes longer to load than `stty` to run, and the first frame of the
 * terminal waits for this.
 */
export function readTerminalSettings(descriptor: number): string | undefined {
  try {
    const { binding } = process as unknown as { binding(name: string): SyncSpawn };
    const { status, output } = binding('spawn_sync').spawn({
      file: '/bin/stty',
      args: ['stty', '-g'],
      envPairs: [],
      stdio: [
        { type: 'inherit', fd: descriptor },
        { type: 'pipe', readable: false, writable: true },
        { type: 'ignore' },
      ],
    });
    const text =
      status === 0
        ? Buffer.from(output?.[1] ?? [])
            .toString()
            .trim()
        : '';
    return /^[\w:=]+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
