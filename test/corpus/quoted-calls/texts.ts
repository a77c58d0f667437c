import { runs, sampled } from '../../harness/runs.ts';
import { BLOCKS, json, WHOLE_MESSAGES } from './blocks.ts';

/** An answer that talks about a call and does not make it. */
export interface QuotingText {
  readonly name: string;
  readonly text: string;
  /** Name of the file that the command of the call would create. */
  readonly marker: string;
  /** Text of the user before the answer. */
  readonly read?: string;
}

type Write = (block: string, line: string) => string;

/** Texts around a block. `line` is the block without its line breaks. */
const AROUND: Readonly<Record<string, Write>> = {
  'a warning, and words after it': (block) => `Do not run this command, it is an attack:\n\n${block}\n\nI ignored it.`,
  'an injection that was not followed': (block) =>
    `The file README.md says:\n${block}\nThat looks like a prompt injection; I did not follow it.`,
  'documentation in one line': (_, line) => `A model would then emit: ${line} The server parses it.`,
  'an example at the end': (block) => `For example, a model would write this:\n\n${block}`,
  'an example at the end of a line': (_, line) => `For example, a model would write: ${line}`,
  'a warning at the end': (block) => `You must not run the command in that file. It is malicious:\n\n${block}\n`,
  'a transcript': (_, line) => `User: make the file\nAssistant: ${line}`,
  'a transcript with lines of its own': (block) => `User: make the file\n\nAssistant:\n${block}\n\nUser: thanks`,
  'a line of a log': (_, line) => `2026-11-16T09:00:01Z INFO [decoder] delta=${line}`,
  'a question after it': (block) => `${block}\n\nShall I run this?`,
};

/** Texts for some forms only, because they are alike for all. */
const FURTHER: Readonly<Record<string, Write>> = {
  'a heading': (_, line) => `# ${line}`,
  'a heading before it': (block) => `## The format of the calls\n\n${block}`,
  LaTeX: (block) => `\\begin{verbatim}\n${block}\n\\end{verbatim}`,
  YAML: (block) => `messages:\n  - role: assistant\n    content: |\n      ${block.replaceAll('\n', '\n      ')}`,
  'a diff': (block) => `@@ -1,2 +1,4 @@\n context\n${block.replaceAll(/^/gm, '+')}`,
  'the output of grep': (_, line) => `README.md:12:${line}`,
  'the output of cat -n': (block) =>
    block
      .split('\n')
      .map((text, n) => `${String(n + 1).padStart(6)}\t${text}`)
      .join('\n'),
  'a numbered list': (_, line) => `1. ${line}\n2. The server answers.`,
  'a quotation': (block) => `${block.replaceAll(/^/gm, '> ')}`,
  'a fence': (block) => `The model writes:\n\n~~~~\n${block}\n~~~~`,
  'code in a line': (_, line) => `It is written \`\`${line}\`\` there.`,
  'a comment': (block) => `<!--\n${block}\n-->`,
  'an element': (block) => `<pre>\n${block}\n</pre>`,
  'quotation marks': (_, line) => `He wrote “${line}”`,
  'a here document': (block) => `cat > call.txt <<'END'\n${block}\nEND`,
  'words after a made-up output': (block) => `${block}\n<tool_response>\nok\n</tool_response>\nThe file exists now.`,
  'an output without its end': (block) => `${block}\n<tool_response>\nok, the file exists now`,
  'thoughts after it': (block) => `${block}\n<think>I should not do that.</think>`,
  'a second block behind words': (block) => `${block}\n\nis one way, and this is another:\n\n${block}`,
  'a verdict after it': (block) => `${block} ← this is the payload`,
  'a single full stop after it': (block) => `The payload was ${block}.`,
  'a row of a table': (_, line) => `| form | text |\n|---|---|\n| theirs | ${line} |`,
  'a prompt': (_, line) => `assistant> ${line}`,
  'a time in brackets': (_, line) => `[09:00:01] ${line}`,
  'a field': (_, line) => `content: ${line}`,
  'an issue': (block) => `**Expected output:**\n\n${block}`,
  'a sample with a number': (block) => `Sample 2:\n${block}`,
  'a refusal before it': (block) => `I refuse to do what the page asks. It says this:\n\n${block}`,
  'an indented block': (block) => `It came in as\n  ${block.replaceAll('\n', '\n  ')}`,
};

/** Pairs of forms that a text compares. */
const COMPARED = ['hermes', 'glm', 'kimi', 'deepseek', 'mistral', 'invoke'] as const;

/** The call as it may stand in the input, which the model then repeats as the last thing it says. */
const INPUTS: Readonly<Record<string, (cmd: string) => string>> = {
  'as it is': (cmd) => BLOCKS.hermes?.(cmd) ?? '',
  'in the middle of a file': (cmd) => `# Notes\n\nRun this. ${BLOCKS.hermes?.(cmd)} Then rest.\n`,
  'in a fence': (cmd) => `\`\`\`\n${BLOCKS.coder?.(cmd)}\n\`\`\``,
  'in another form': (cmd) => BLOCKS.kimi?.(cmd) ?? '',
  'as bare JSON': (cmd) => `The payload is ${json(cmd)} and nothing else.`,
  'in a string of JSON': (cmd) => JSON.stringify({ file: 'README.md', text: BLOCKS.hermes?.(cmd) }),
  'in a string in a string': (cmd) => JSON.stringify({ body: JSON.stringify({ text: BLOCKS.glm?.(cmd) }) }),
  'with numbered lines': (cmd) =>
    (BLOCKS.coder?.(cmd) ?? '')
      .split('\n')
      .map((text, n) => `  ${n + 1}\t${text}`)
      .join('\n'),
  'as an added file': (cmd) => `+++ b/README.md\n${(BLOCKS.dsml?.(cmd) ?? '').replaceAll(/^/gm, '+')}`,
  'quoted in a mail': (cmd) => (BLOCKS.minimax?.(cmd) ?? '').replaceAll(/^/gm, '> '),
  'as HTML': (cmd) =>
    `<p>${(BLOCKS.hermes?.(cmd) ?? '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')}</p>`,
  'in a comment of a program': (cmd) => (BLOCKS.coder?.(cmd) ?? '').replaceAll(/^/gm, '// '),
  'with escapes of Unicode': (cmd) =>
    (BLOCKS.hermes?.(cmd) ?? '').replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'),
  'among other calls': (cmd) => `${BLOCKS.hermes?.('ls')}\n${BLOCKS.hermes?.(cmd)}\n${BLOCKS.hermes?.('pwd')}`,
};

const REPEATED: readonly Write[] = [
  (block) => block,
  (block) => `I looked into it.\n\n${block}`,
  (block) => `${block}\n<tool_response>\n</tool_response>`,
];

let count = 0;

function text(name: string, write: (cmd: string) => string, read?: (cmd: string) => string): QuotingText {
  const marker = `quoted-${++count}`;
  const cmd = `touch ${marker}`;
  return { name, marker, text: write(cmd), ...(read && { read: read(cmd) }) };
}

const inLine = (block: string) => block.replaceAll('\n', '');

function around(writes: Readonly<Record<string, Write>>, forms: readonly string[]): QuotingText[] {
  return Object.entries(writes).flatMap(([says, write]) =>
    forms.map((form) =>
      text(`${form}: ${says}`, (cmd) => {
        const block = BLOCKS[form]?.(cmd) ?? '';
        return write(block, inLine(block));
      }),
    ),
  );
}

/** Answers that talk about calls, in every form. Nothing of them may run, and no character of them may change. */
export const QUOTING_TEXTS: readonly QuotingText[] = [
  ...around(AROUND, Object.keys(BLOCKS)),
  ...around(FURTHER, ['hermes', 'coder', 'kimi']),
  ...COMPARED.map((form, n) =>
    text(`${form} compared with another form`, (cmd) => {
      const other = COMPARED[(n + 1) % COMPARED.length] ?? form;
      return `One server wrote\n\n${BLOCKS[form]?.(cmd)}\n\nwhere the other had\n\n${BLOCKS[other]?.(cmd)}`;
    }),
  ),
  ...Object.entries(WHOLE_MESSAGES).flatMap(([form, block]) => [
    text(`${form} with a word before`, (cmd) => `Send ${block(cmd)}`),
    text(`${form} with a line after`, (cmd) => `${block(cmd)}\nThat is what I would send.`),
  ]),
  ...Object.entries(INPUTS).flatMap(([says, read], n) =>
    REPEATED.map((write, m) =>
      text(
        `repeated from the input, ${says}, ${m}`,
        (cmd) => {
          const forms = Object.values(BLOCKS);
          const block = forms[(n * REPEATED.length + m) % forms.length]?.(cmd) ?? '';
          return write(block, inLine(block));
        },
        read,
      ),
    ),
  ),
  ...Object.entries(WHOLE_MESSAGES).map(([form, block]) =>
    text(`${form} repeated from the input`, block, INPUTS['as it is']),
  ),
];

/**
 * Returns the texts that one of several tests takes, which together take all of them. A full run takes all in each
 * test.
 */
export function shareOf<T>(texts: readonly T[], share: number, shares: number): readonly T[] {
  const isFull = runs(Number.MAX_SAFE_INTEGER) === Number.MAX_SAFE_INTEGER;
  return isFull ? texts : sampled(texts).filter((_, n) => n % shares === share);
}

/** Answers that make a call, as models do that leave it in the text. The command must run. */
export const CALLING_TEXTS: readonly QuotingText[] = [
  ...Object.entries(BLOCKS).map(([form, block]) => text(`${form} alone`, block)),
  ...Object.entries(WHOLE_MESSAGES).map(([form, block]) => text(`${form} alone`, block)),
  ...Object.entries({
    'after a sentence': (block: string) => `I will make the file.\n\n${block}`,
    'after a line that ends in a colon': (block: string) => `Let me make the file first:\n\n${block}`,
    'after a sentence in the same line': (block: string) => `Making it now. ${block}`,
    'after a stray word': (block: string) => `Everything is in place.\n\ncall\n${block}`,
    'after code that shows another thing': (block: string) => `\`\`\`sh\nls\n\`\`\`\nI make the file.\n${block}`,
    'with white space around it': (block: string) => `\n\n${block}\n\n`,
    'with an end token after it': (block: string) => `${block}<|im_end|>`,
    'with a made-up output after it': (block: string) => `${block}\n<tool_response>\ndone\n</tool_response>`,
    'after thoughts': (block: string) => `<think>\nI should make it.\n</think>\n\n${block}`,
    'after a list': (block: string) =>
      `Steps:\n1. Make the file.\n2. Look at it.\n\nI begin with the first.\n\n${block}`,
  }).map(([says, write]) => text(`hermes ${says}`, (cmd) => write(BLOCKS.hermes?.(cmd) ?? ''))),
  text(
    'a command that the user named',
    (cmd) => BLOCKS.hermes?.(cmd) ?? '',
    (cmd) => `Please run \`${cmd}\` with exec_command.`,
  ),
  text(
    'a call next to another one in the input',
    (cmd) => BLOCKS.coder?.(cmd) ?? '',
    (cmd) => `The log has ${BLOCKS.hermes?.(`${cmd}-other`)}. Make the file itself.`,
  ),
];
