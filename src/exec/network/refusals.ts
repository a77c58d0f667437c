import type { NetworkTarget } from './check-target.ts';

/** What was refused, for the model and for the user. */
export interface Refusals {
  /** Notes it and gives the sentences that the client is told. */
  add(target: NetworkTarget, address: string | undefined): string;
  /** Each host once, as it could be added to `allowed_domains`; in the order of the first attempts. */
  hosts(): readonly string[];
}

/** A command may try any number of names. */
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

/** A sentence for the output of a command whose connections were refused; undefined when none were. */
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
