import type { Function as ShellFunction, SyntaxNode } from 'unbash';
import { walkScript } from './walk-script.ts';

/** Whether a function starts itself beside itself: in a pipeline or in the background. */
export function isForkBomb({ name, body }: ShellFunction): boolean {
  for (const { node } of walkScript(body)) {
    const inParallel = node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true);
    if (inParallel && calls(node, name.value)) return true;
  }
  return false;
}

function calls(node: SyntaxNode, name: string): boolean {
  for (const { node: inner } of walkScript(node)) {
    if (inner.type === 'Command' && inner.name?.value === name) return true;
  }
  return false;
}
