import { setTimeout as delay } from 'node:timers/promises';
import { askToReload, type RunningGateway, readRunningGateways } from '../../store/files/running-gateways.ts';

export {
  type GatewayState,
  openGatewayFile,
  type RunningGateway,
  readRunningGateways,
} from '../../store/files/running-gateways.ts';

/** The end of an attempt to make a gateway read its configuration again. */
export type ReloadResult =
  | { readonly type: 'reloaded'; readonly gateway: RunningGateway }
  /** The gateway keeps its old configuration. */
  | { readonly type: 'refused'; readonly why: string }
  /** The process may be another one by now, so it got no signal. */
  | { readonly type: 'unknown' }
  | { readonly type: 'silent' };

const WAIT_MS = 10_000;
const LOOK_MS = 50;

/** Makes a gateway read its configuration again, and waits until it has. */
export async function reloadGateway(home: string, gateway: RunningGateway): Promise<ReloadResult> {
  if (!askToReload(gateway)) return { type: 'unknown' };
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await delay(LOOK_MS)) {
    const now = readRunningGateways(home).find(({ pid, since }) => pid === gateway.pid && since === gateway.since);
    if (now === undefined) return { type: 'silent' };
    if (now.reloads === gateway.reloads) continue;
    return now.problem === null ? { type: 'reloaded', gateway: now } : { type: 'refused', why: now.problem };
  }
  return { type: 'silent' };
}
