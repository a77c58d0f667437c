/** Returns how deep the brackets of a JSON text are nested. The text may break off. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === '"') isText = !isText;
    else if (isText && char === '\\') at++;
    else if (!isText && (char === '{' || char === '[')) deepest = Math.max(deepest, ++depth);
    else if (!isText && (char === '}' || char === ']')) depth--;
  }
  return deepest;
}
