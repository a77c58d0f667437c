/** Returns how to get a sandbox where there is none. */
export function launcherAdvice(): string {
  return process.platform === 'linux'
    ? 'apt, dnf or pacman install bubblewrap'
    : 'only Linux has a sandbox that was tried so far: use a container, or --sandbox danger-full-access';
}
