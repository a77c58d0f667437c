/** Contents of the files and outputs of the tools after the task. */
export const DONE = {
  'shell.txt': 'written by a command\n',
  'patched.txt': 'written by a patch\nin two lines\n',
  echo: 'echo of a namespace',
  text: 'All three tools did their work.',
};

const PATCH = `*** Begin Patch
*** Add File: patched.txt
+written by a patch
+in two lines
*** End Patch
`;

/**
 * Returns the calls of the task for the offered tools: a shell command, a patch and a tool of an MCP server. Throws when
 * one of the tools is not offered.
 */
export function codexTask(offers) {
  const find = (what, fits) => {
    const found = offers.find(fits);
    if (found !== undefined) return found;
    throw new Error(`no tool for ${what} among ${offers.map(({ name }) => name).join(', ')}`);
  };
  const shell = find('commands', ({ name }) => name === 'exec_command');
  const patch = find('patches', ({ name }) => name === 'apply_patch');
  const echo = find('the MCP server', ({ name }) => name.endsWith('echo'));
  const calls = [
    { name: shell.name, args: { cmd: `echo ${DONE['shell.txt'].trim()} > shell.txt` } },
    // Reads the name of the parameter from the schema of the tool, as a model would.
    { name: patch.name, args: { [patch.parameters.required[0]]: PATCH } },
    { name: echo.name, args: { text: 'a namespace' } },
  ];
  return { calls, text: DONE.text };
}
