import { join } from 'node:path';

/** Contents of the files and outputs of the tools after the task. */
export const DONE = {
  'notes.txt': 'first line\nedited by the model\n',
  'tested.txt': 'tested\n',
  echo: 'echo of a server',
  text: 'The file is edited and tested.',
};

/** Contents of the files before the task. */
export const BEFORE = { 'notes.txt': 'first line\nsecond line\n' };

/**
 * Returns a task in a folder: a file is read and edited, a command tests it, and a tool of an MCP server is called.
 * Titles, which are asked for without tools, do not count.
 */
export function claudeTask(folder) {
  const file_path = join(folder, 'notes.txt');
  const calls = [
    { name: 'Read', args: { file_path } },
    { name: 'Edit', args: { file_path, old_string: 'second line', new_string: 'edited by the model' } },
    { name: 'Bash', args: { command: 'grep edited notes.txt && echo tested >> tested.txt', description: 'Test' } },
    { name: 'mcp__echoes__echo', args: { text: 'a server' } },
  ];
  return (offers) => (offers.length === 0 ? TITLE : { calls, text: DONE.text });
}

/** The answer to a request for a title. */
const TITLE = { calls: [], text: '{"title":"A task with a file"}' };
