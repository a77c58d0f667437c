import type { ShownChange } from '../base/event.ts';
import { printable } from './visible.ts';

/** Returns the name of a changed file below a folder, and its new name if it was moved. */
export function changedNames({ path, to }: ShownChange, folder: string | undefined, arrow = '->'): string {
  const names = [path, ...(to === undefined ? [] : [to])].map((name) => printable(below(folder, name)));
  return names.join(` ${arrow} `);
}

function below(folder: string | undefined, path: string): string {
  const start = `${folder}/`;
  return folder !== undefined && path.startsWith(start) ? path.slice(start.length) : path;
}
