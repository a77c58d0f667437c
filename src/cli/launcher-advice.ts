/** Returns advice for a machine without a program that can confine commands. */
export function launcherAdvice(): string {
  return process.platform === 'linux'
    ? 'install bubblewrap with apt, dnf or pacman'
    : 'only the sandbox for Linux has been tested so far: use a container, or --sandbox danger-full-access';
}
