import { forEachChild, type SyntaxNode } from 'unbash';

/** Node of a script, and the number of scripts around it. */
export interface ScriptPlace {
  readonly node: SyntaxNode;
  readonly depth: number;
}

/**
 * Yields every node below a node, including the node itself, outer ones before inner ones. Uses no recursion, so that
 * the depth of the tree does not matter.
 */
export function* walkScript(root: SyntaxNode, rootDepth = 0): Generator<ScriptPlace> {
  const open: ScriptPlace[] = [{ node: root, depth: rootDepth }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield place;
    const { node, depth } = place;
    const children: ScriptPlace[] = [];
    forEachChild(node, (child) => {
      children.push({ node: child, depth: child.type === 'Script' ? depth + 1 : depth });
    });
    for (const child of children.reverse()) open.push(child);
  }
}
