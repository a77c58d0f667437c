import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Whether programs can be traced here. */
export const hasStrace = spawnSync('strace', ['-f', '-qq', '-o', '/dev/null', 'true']).status === 0;

/**
 * Returns the words that run a program under a trace of all that it and its children send to an address. The tracer is not
 * the parent of the program, so that signals reach the program.
 */
export function traced(file: string): readonly string[] {
  return ['strace', '-D', '-f', '-qq', '-s', '200', '-e', 'trace=connect,sendto,sendmsg,sendmmsg', '-o', file];
}

const ADDRESS = /sin6?_port=htons\((\d+)\).*?(?:inet_addr\("([^"]+)"|inet_pton\(AF_INET6, "([^"]+)")/;
const UNIX = /sun_path=@?"([^"]+)"/;

/** Sockets by which the system looks up names of hosts. Shells ask nscd for the name of the user, so it is not among them. */
const LOOKUP = /resolve|avahi|dnsmasq/;

/** Returns the addresses in a trace: host and port, and the sockets of services that look up names. */
export function connectionsIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const found = readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, port, v4, v6] = ADDRESS.exec(line) ?? [];
      const [, path = ''] = UNIX.exec(line) ?? [];
      if (port !== undefined) return [`${v4 ?? v6}:${port}`];
      return LOOKUP.test(path) ? [path] : [];
    });
  return [...new Set(found)];
}
