import { rulesFault, type Token, tokenize } from './tokenize.ts';

/** Value of an argument: a text, or a list. */
export type RuleValue = string | readonly RuleValue[];

/** Call in a rules file. */
export interface RuleCall {
  readonly name: string;
  readonly line: number;
  readonly args: ReadonlyMap<string, { readonly value: RuleValue; readonly line: number }>;
}

const DEEPEST = 4;

/**
 * Parses the calls of a rules file. The language is the part of Starlark that such files need: calls with named
 * arguments, strings, lists and comments. Throws `UserError` that names file and line.
 */
export function parseCalls(text: string, file: string): RuleCall[] {
  const tokens = createCursor(tokenize(text, file), file);
  const calls: RuleCall[] = [];
  let line = 0;
  while (tokens.peek().type !== 'end') {
    if (tokens.peek().line === line) throw tokens.fault('a new line after a rule');
    calls.push(readCall(tokens));
    line = tokens.lastLine();
  }
  return calls;
}

interface Cursor {
  peek(): Token;
  next(): Token;
  /** Returns the line of the last token that was read. */
  lastLine(): number;
  isSign(text: string): boolean;
  /** Reads a token of this kind. Throws when the next token is of another kind. */
  expect(type: Token['type'], what: string, sign?: string): Token;
  /** Returns the error for the next token. */
  fault(expected: string): Error;
  mistake(line: number, mistake: string): Error;
}

function createCursor(tokens: readonly Token[], file: string): Cursor {
  let at = 0;
  const peek = (): Token => tokens[at] ?? { type: 'end', text: '', line: 0 };
  const fault = (expected: string) => {
    const { type, text: found, line } = peek();
    return rulesFault(file, line, `expected ${expected}, found ${type === 'end' ? 'the end' : JSON.stringify(found)}.`);
  };
  return {
    peek,
    fault,
    next() {
      at += 1;
      return tokens[at - 1] ?? peek();
    },
    lastLine: () => tokens[at - 1]?.line ?? 0,
    isSign: (text) => peek().type === 'sign' && peek().text === text,
    expect(type, what, sign) {
      const token = peek();
      if (token.type !== type || (sign !== undefined && token.text !== sign)) throw fault(what);
      at += 1;
      return token;
    },
    mistake: (line, mistake) => rulesFault(file, line, mistake),
  };
}

function readCall(tokens: Cursor): RuleCall {
  const { text: name, line } = tokens.expect('name', 'a rule');
  tokens.expect('sign', `"(" after ${name}`, '(');
  const args = new Map<string, { value: RuleValue; line: number }>();
  for (const argument of readList(tokens, ')', () => readArgument(tokens))) {
    if (args.has(argument.name)) throw tokens.mistake(argument.line, `${argument.name} is given twice.`);
    args.set(argument.name, { value: argument.value, line: argument.line });
  }
  return { name, line, args };
}

function readArgument(tokens: Cursor) {
  const { text: name, line } = tokens.expect('name', 'the name of an argument');
  tokens.expect('sign', `"=" after ${name}`, '=');
  return { name, line, value: readValue(tokens, 1) };
}

function readValue(tokens: Cursor, depth: number): RuleValue {
  if (tokens.peek().type === 'string') return tokens.next().text;
  if (!tokens.isSign('[')) throw tokens.fault('a string or a list');
  if (depth > DEEPEST) throw tokens.mistake(tokens.peek().line, 'lists are nested too deeply.');
  tokens.next();
  return readList(tokens, ']', () => readValue(tokens, depth + 1));
}

/** Reads values that are separated by commas, up to the closing sign. A comma may be the last. */
function readList<T>(tokens: Cursor, close: string, read: () => T): T[] {
  const values: T[] = [];
  while (!tokens.isSign(close)) {
    values.push(read());
    if (!tokens.isSign(',')) break;
    tokens.next();
  }
  tokens.expect('sign', `"," or "${close}"`, close);
  return values;
}
