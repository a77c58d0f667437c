import type { NetworkTarget } from './check-target.ts';

/** Refused hosts, for the model and the user. */
export interface Refusals {
  /** Adds a refused host. Returns the sentences for the client. */
  add(target: NetworkTarget, address: string | undefined): string;
  /** Returns each host once, in the form of `allowed_domains` and the order of the first attempts. */
  hosts(): readonly string[];
}

/** Most hosts that are kept: a command may try any number of names. */
const MOST_HOSTS = 100;
const MOST_SHOWN = 10;

export function createRefusals(allowedDomains: readonly string[]): Refusals {
  const hosts = new Set<string>();
  const allowed = allowedDomains.filter((entry) => !entry.startsWith('!')).join(', ');
  return {
    add({ host }, address) {
      const entry = address ?? host.text;
      if (hosts.size < MOST_HOSTS) hosts.add(entry);
      const why =
        address === undefined
          ? `${host.text} is not among the allowed domains (${allowed || 'there are none'})`
          : `${host.text} leads to ${address}, an address of this machine or its surroundings, which is not listed itself`;
      return `The sandbox refused this connection: ${why}. ${wayOut([entry])}\n`;
    },
    hosts: () => [...hosts],
  };
}

/** Returns a sentence for the output of a command whose connections were refused; undefined without refusals. */
export function refusedNote(hosts: readonly string[]): string | undefined {
  if (hosts.length === 0) return undefined;
  const shown = hosts.slice(0, MOST_SHOWN).join(', ');
  const more = hosts.length > MOST_SHOWN ? ` and ${hosts.length - MOST_SHOWN} more` : '';
  return `The sandbox refused connections to ${shown}${more}. ${wayOut(hosts.slice(0, MOST_SHOWN))}`;
}

function wayOut(entries: readonly string[]): string {
  const list = entries.map((entry) => `"${entry}"`).join(', ');
  return (
    `Trying again will not help. Do without it, ask to run the command outside the sandbox, or tell the user to add ` +
    `${list} to allowed_domains in [sandbox_workspace_write] of config.toml.`
  );
}
