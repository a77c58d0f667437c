import type { CommandItem, FileChangeItem } from '../../base/event.ts';
import type { RefusalCause, SandboxPolicy } from '../../base/policy.ts';
import { firstLine } from '../../text/first-line.ts';
import { printable } from '../../text/visible.ts';

/** The limits under which commands and patches run, as far as messages about refusals need them. */
export interface ShownLimits {
  readonly sandbox: Pick<SandboxPolicy, 'mode' | 'writableRoots'>;
  /** Whether trust in the project would let commands write. */
  readonly trustHelps: boolean;
}

/** A command or a patch that did not do its work. */
type FailedItem = CommandItem | FileChangeItem;

/**
 * Returns why a command or a patch did not do its work and what the user may do about it. Undefined where neither is
 * known.
 */
export function reasonText(item: FailedItem, limits: ShownLimits | undefined): string | undefined {
  if (item.reason === undefined) return undefined;
  const { cause, message } = item.reason;
  const own = limits && TEXTS[cause]?.(item, limits);
  return own ?? firstLine(message);
}

/** Texts by cause. The other causes have messages that people can read. */
const TEXTS: { readonly [C in RefusalCause]?: (item: FailedItem, limits: ShownLimits) => string } = {
  sandbox: (item, limits) => {
    if (item.type === 'command' && item.status === 'declined')
      return 'it asks to leave the sandbox; run it yourself, or allow everything with -s danger-full-access';
    return `${item.type === 'command' ? 'perhaps ' : ''}${writingText(limits)}`;
  },
  network: (_, { sandbox }) => {
    const mode = sandbox.mode === 'read-only' ? '-s workspace-write ' : '';
    return `perhaps the sandbox has no network; allow it with ${mode}-c sandbox_workspace_write.network_access=true`;
  },
  danger: () => 'it could destroy something; run it yourself if you want it',
};

function writingText({ sandbox, trustHelps }: ShownLimits): string {
  if (sandbox.mode === 'read-only')
    return `the sandbox is read-only; allow writing with -s workspace-write${trustHelps ? ' or oxbow trust' : ''}`;
  const roots = sandbox.writableRoots.map(printable).join(', ') || 'no folder';
  return `the sandbox allows writing only to ${roots}; add a folder with --add-dir DIR`;
}
