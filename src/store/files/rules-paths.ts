import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

/** Returns the paths of the rules that the user made by approving: for all folders, and for one project. */
export function rulesPaths(home: string, project: string): { readonly always: string; readonly project: string } {
  const name = basename(project)
    .replace(/[^\w.-]/g, '_')
    .slice(0, 60);
  const hash = createHash('sha256').update(project).digest('hex').slice(0, 16);
  return {
    always: join(home, 'rules', 'default.rules'),
    project: join(home, 'rules', 'projects', `${name}-${hash}.rules`),
  };
}
