/** Oldest release of Node that runs this program: `engines` in package.json. */
const OLDEST = [20, 19] as const;

/**
 * Returns a sentence that says why the agent cannot run in this runtime, or undefined if it can. In Bun and Deno a command
 * runs, but its output is lost or the command is reported as failed, so the agent must not begin.
 */
export function runtimeFault({
  bun,
  deno,
  node = '0.0',
}: Readonly<Partial<NodeJS.ProcessVersions>>): string | undefined {
  const other = (bun && `Bun ${bun}`) || (deno && `Deno ${deno}`);
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (!other && !isOld) return undefined;
  const needed = `Oxbow needs Node ${OLDEST.join('.')} or newer, and this is ${other || `Node ${node}`}.`;
  return other ? `${needed} Start the program with node.` : needed;
}
