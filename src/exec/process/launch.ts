/** A launch is a command line that starts a command inside its sandbox. */
export interface Launch {
  /** The launcher with its flags, then the command. */
  readonly argv: readonly string[];
  /** Index of the command in `argv`. Words inserted there run inside the sandbox and start the command. */
  readonly commandAt: number;
  /** Contents of descriptor 3 and the descriptors after it, for the launcher. The command does not inherit them. */
  readonly descriptors: readonly DescriptorContent[];
  /** Variables of the command besides those that every command gets. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Whether the launcher ends everything that it started when it gets SIGTERM. Such a launcher must not be killed
   * before.
   */
  readonly supervises: boolean;
  /** Arguments with which the supervisor of a thread starts the command itself, faster than the launcher does. */
  readonly confine?: readonly string[];
  /** The sandbox of the command, for starting one like it before the next command is known. Absent where it cannot wait. */
  readonly sandbox?: SandboxKind;
  /** Called once, when the process has ended or could not be started. */
  end(): void;
}

/** A kind of sandbox that can wait for its command. */
export interface SandboxKind {
  /** Text that two launches share if their sandboxes are the same. */
  readonly key: string;
  /** Returns the launch of a sandbox whose process waits on its input for a request, and becomes the command. */
  launchWaiting(): Launch;
}

/**
 * Bytes, or a function that packs the variables of the command for the launcher. With a function the launcher does not
 * get the variables as its own: `LD_PRELOAD` and others could make it run code of a command outside the sandbox.
 */
export type DescriptorContent = Uint8Array | ((variables: Readonly<Record<string, string>>) => Uint8Array);

/** Returns the launch of a command without a sandbox. */
export function plainLaunch(argv: readonly string[]): Launch {
  return { argv, commandAt: 0, descriptors: [], env: {}, supervises: false, end() {} };
}
