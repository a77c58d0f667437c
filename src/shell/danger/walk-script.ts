import { forEachChild, type SyntaxNode } from 'unbash';

/** A part of a script, and in how many scripts it stands. */
export interface ScriptPlace {
  readonly node: SyntaxNode;
  readonly depth: number;
}

/** Every part below a node, itself among them, outer ones before inner ones. Needs no stack, however deep the tree is. */
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
