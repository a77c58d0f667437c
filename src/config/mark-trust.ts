import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../base/errors.ts';
import { fileFault } from '../base/file-fault.ts';
import { isRecord } from '../base/json-schema.ts';
import { parseToml } from './parse-toml.ts';
import { keyText } from './setting/key-text.ts';

/**
 * Appends to the user's config.toml that a project is trusted, or that it is not. The lines before stay as they are.
 * Throws `UserError` where the file cannot be extended at its end.
 */
export function markTrust(userFile: string, root: string, level: 'trusted' | 'untrusted'): void {
  const text = existsSync(userFile) ? readFileSync(userFile, 'utf8') : '';
  const entry = `[${keyText(['projects', root])}]\ntrust_level = "${level}"\n`;
  const addition = `${text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'}${entry}`;
  if (!says(level, text + addition, userFile, root)) {
    throw new UserError(
      'invalid_config',
      `${userFile} cannot be extended at its end. Write into it: ${entry.trimEnd().replace('\n', ' with ')}.`,
    );
  }
  try {
    mkdirSync(dirname(userFile), { recursive: true, mode: 0o700 });
    appendFileSync(userFile, addition, { mode: 0o600 });
  } catch (error) {
    throw new UserError('storage', `${userFile} cannot be written: ${fileFault(error)}.`);
  }
}

/** Reports whether a text is TOML with this trust in the project. A table that exists cannot be written twice. */
function says(level: string, text: string, userFile: string, root: string): boolean {
  try {
    const { projects } = parseToml(text, userFile);
    const project = isRecord(projects) ? projects[root] : undefined;
    return isRecord(project) && project.trust_level === level;
  } catch {
    return false;
  }
}
