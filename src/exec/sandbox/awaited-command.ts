import { zeroTerminated } from '../process/zero-terminated.ts';

/** A command that the waiting process of a sandbox becomes. */
export interface AwaitedCommand {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
}

/**
 * Returns a request: its length in four bytes, then strings with a zero byte after each. Throws `ToolFailure` for a
 * string that contains a zero byte.
 */
export function packRequest({ cwd, env, argv }: AwaitedCommand): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const body = zeroTerminated([cwd, String(argv.length), ...argv, ...variables]);
  const head = Buffer.alloc(4);
  head.writeUInt32LE(body.length);
  return Buffer.concat([head, body]);
}
