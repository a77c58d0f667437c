const HEREDOC_STARTS: readonly string[] = ['<<EOF', "<<'EOF'", '<<"EOF"'];
const FENCE = /^(?:`{3,}|~{3,})/;
const ELEMENT_START = /^<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>/;
const CDATA_START = '<![CDATA[';
const CDATA_END = ']]>';

/**
 * Returns the text inside a heredoc, a code fence, CDATA or an XML element around the whole text; undefined if there is
 * none. Nothing inside is decoded: models write the patch unescaped.
 */
export function unwrapPatch(text: string): string | undefined {
  return insideHeredoc(text) ?? insideFence(text) ?? insideCdata(text) ?? insideElement(text);
}

function insideHeredoc(text: string): string | undefined {
  const lines = text.split('\n');
  const opens = HEREDOC_STARTS.includes(lines[0]?.trimEnd() ?? '');
  return opens && lines.length >= 4 && text.endsWith('EOF') ? lines.slice(1, -1).join('\n') : undefined;
}

function insideFence(text: string): string | undefined {
  const fence = FENCE.exec(text)?.[0];
  const start = text.indexOf('\n');
  const end = text.lastIndexOf('\n');
  return text.slice(end + 1) === fence && start < end ? text.slice(start + 1, end) : undefined;
}

function insideCdata(text: string): string | undefined {
  if (!text.startsWith(CDATA_START) || !text.endsWith(CDATA_END)) return undefined;
  return text.slice(CDATA_START.length, -CDATA_END.length);
}

function insideElement(text: string): string | undefined {
  const start = ELEMENT_START.exec(text);
  const end = `</${start?.[1]}>`;
  if (start === null || !text.endsWith(end)) return undefined;
  return text.slice(start[0].length, -end.length);
}
