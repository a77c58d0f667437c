/** Returns the output of a call without the first lines of an MCP tool, which say how long it took. */
export function callOutput(output: string | null): string {
  return (output ?? '').replace(/^Wall time: [\d.]+ seconds\nOutput:\n/, '');
}
