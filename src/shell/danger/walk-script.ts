import { forEachChild, type SyntaxNode } from 'unbash';

/** Node of a script, and the number of scripts around it. */
export interface ScriptNode {
  readonly node: SyntaxNode;
  readonly depth: number;
}

/**
 * Yields every node below a node, including the node itself, outer ones before inner ones. Uses no recursion, so that
 * the depth of the tree does not matter.
 */
export function* walkScript(root: SyntaxNode, rootDepth = 0): Generator<ScriptNode> {
  const open: ScriptNode[] = [{ node: root, depth: rootDepth }];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    yield current;
    const { node, depth } = current;
    const children: ScriptNode[] = [];
    forEachChild(node, (child) => {
      children.push({ node: child, depth: child.type === 'Script' ? depth + 1 : depth });
    });
    for (const child of children.reverse()) open.push(child);
  }
}
