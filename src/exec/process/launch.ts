/** How a command is started so that it stays inside of the policy. */
export interface Launch {
  /** The launcher with its flags, then the command. */
  readonly argv: readonly string[];
  /** Where the command begins in `argv`. What is put in there runs inside of the sandbox and starts the command. */
  readonly commandAt: number;
  /** What is read from descriptor 3, and from those after it. The command itself inherits none that the launcher reads. */
  readonly descriptors: readonly DescriptorContent[];
  /** Variables of the command beside those that every command gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the launcher ends all that it started when it is asked to by SIGTERM, and must not be killed before. */
  readonly supervises: boolean;
  /** With these a thread's supervisor can start the command by itself, faster than the launcher. */
  readonly confine?: readonly string[];
  /** Called once, when the process has ended or could not be started. */
  end(): void;
}

/**
 * Bytes, or the command's variables in the form that the launcher reads. With the latter the launcher itself gets none of
 * them: `LD_PRELOAD` and its like could make it run what a command wrote, outside of the sandbox.
 */
export type DescriptorContent = Uint8Array | ((variables: Readonly<Record<string, string>>) => Uint8Array);

/** A command that is started as it is. */
export function plainLaunch(argv: readonly string[]): Launch {
  return { argv, commandAt: 0, descriptors: [], env: {}, supervises: false, end() {} };
}
