import type { Launch } from '../process/launch.ts';
import { removeIdleStubs } from '../sandbox/name-stubs.ts';

/** Launches whose traces on the disk have not been removed yet. */
export interface OpenLaunches {
  /** Returns the launch with an `end` that takes effect once. */
  add(launch: Launch): Launch;
  /** Ends all launches. Launches that are still being started are cleaned up at their own end. */
  endAll(): void;
}

export function createOpenLaunches(): OpenLaunches {
  const open = new Set<Launch>();
  let isClosed = false;
  return {
    add(launch) {
      const added: Launch = {
        ...launch,
        end() {
          if (open.delete(added)) launch.end();
          if (isClosed) removeIdleStubs();
        },
      };
      open.add(added);
      return added;
    },
    endAll() {
      for (const launch of open) launch.end();
      isClosed = true;
      removeIdleStubs();
    },
  };
}
