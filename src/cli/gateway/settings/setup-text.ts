import { isRecord } from '../../../base/json-schema.ts';
import { tableLines, valueText, type WrittenTable } from '../../../config/set-table.ts';
import { keyText } from '../../../config/setting/key-text.ts';
import { quoteArgv } from '../../../shell/quote.ts';
import { type ClientFile, type ClientSetup, type ClientVariables, objectOf } from '../clients/client.ts';

/** Returns the settings of a client as lines to copy, each part with a comment that says where it belongs. */
export function setupText({ file, variables = {}, notes = [] }: ClientSetup, userFolder: string): string {
  const comment = file?.format === 'json' ? '//' : '#';
  const isOnlyNotes = file === undefined && Object.keys(variables).length === 0;
  const parts = [
    ...(file === undefined ? [] : [fileLines(file, userFolder)]),
    ...(Object.keys(variables).length === 0 ? [] : [variableLines(variables, comment)]),
    ...(notes.length === 0 ? [] : [notes.map((note) => (isOnlyNotes ? note : `${comment} ${note}`))]),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Returns a path as people write it. */
export function shownPath(path: string, userFolder: string): string {
  return path.startsWith(`${userFolder}/`) ? `~${path.slice(userFolder.length)}` : path;
}

function fileLines(file: ClientFile, userFolder: string): readonly string[] {
  const place = shownPath(file.path, userFolder);
  if (file.format === 'yaml') return [`# In ${place}:`, file.text];
  if (file.format === 'json') return [`// In ${place}:`, JSON.stringify(objectOf(file.entries), null, 2)];
  const [plain, tables] = [false, true].map((isTable) =>
    file.entries.filter(({ value }) => isRecord(value) === isTable),
  );
  return [
    // Keys after a table would belong to that table.
    `# At the top of ${place}:`,
    ...(plain ?? []).map(({ path, value }) => `${keyText(path)} = ${valueText(value)}`),
    '',
    '# Further down:',
    ...(tables ?? []).flatMap(({ path, value }) => tableLines(path, value as WrittenTable)),
  ];
}

function variableLines(variables: ClientVariables, comment: string): readonly string[] {
  const lines = Object.entries(variables).map(
    ([name, value]) => `export ${name}=${value.startsWith('$') ? `"${value}"` : quoteArgv([value])}`,
  );
  return [`${comment} In the shell that starts it:`, ...lines];
}
