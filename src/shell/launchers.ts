import { baseName } from './program-name.ts';

/**
 * Programs that run other commands or scripts. `plain`: after assignments and times, the next word is the command.
 * `wrapper`: the command stands somewhere among the words. `shell`: the words hold a script.
 */
type Launcher = 'plain' | 'wrapper' | 'shell';

const NAMES: Readonly<Record<Launcher, string>> = {
  plain: 'env nice ionice nohup setsid timeout time stdbuf command builtin caffeinate noglob nocorrect',
  wrapper: `sudo doas su runuser pkexec chrt taskset setpriv prlimit numactl runcon setarch linux32 linux64 xargs parallel exec
    busybox toybox chroot unshare nsenter fakeroot firejail bwrap systemd-run systemd-inhibit strace ltrace perf valgrind rr
    heaptrack watch entr flock script unbuffer rlwrap faketime repeat coproc tmux screen xvfb-run dbus-run-session torsocks
    proxychains cgexec chpst hyperfine bundle poetry pipenv pdm hatch uv uvx pipx npx bunx pnpx conda mamba nix nix-shell
    direnv mise asdf`,
  shell: 'sh bash dash zsh ksh mksh ash fish csh tcsh',
};

const LAUNCHERS: ReadonlyMap<string, Launcher> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.split(/\s+/).map((name) => [name, kind as Launcher] as const)),
);

/** Returns how a program runs other commands, if it is known to. */
export function launcherKind(program: string): Launcher | undefined {
  return LAUNCHERS.get(baseName(program));
}

/** Every name in the table. */
export const LAUNCHER_NAMES: readonly string[] = [...LAUNCHERS.keys()];
