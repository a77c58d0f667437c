import type { ColorRole } from '../text/span.ts';

/** The parts of a family of languages that have colours. */
export interface CodeLanguage {
  /** Matches the next token at a place: comments, texts, numbers, words. */
  readonly tokens: RegExp;
  /** Matches a token that is a comment. */
  readonly comment?: RegExp;
  readonly keywords: ReadonlySet<string>;
  readonly ignoresCase: boolean;
  /** Whether names that begin with a capital letter are types. */
  readonly hasTypes: boolean;
  /** Marks of comments and texts that may be several lines long. */
  readonly opens: readonly { readonly open: string; readonly close: string; readonly role: ColorRole }[];
  /** Returns the colour of a whole line, for languages of lines. */
  readonly wholeLine?: (line: string) => ColorRole | undefined;
}

interface Family {
  readonly names: string;
  readonly keywords: string;
  /** Pattern of a comment up to the end of the line. */
  readonly comment?: string;
  readonly opens?: CodeLanguage['opens'];
  readonly word?: string;
  /** Pattern of a text in single quotes. */
  readonly single?: string;
  readonly ignoresCase?: boolean;
  readonly hasTypes?: boolean;
  readonly wholeLine?: CodeLanguage['wholeLine'];
}

const DOUBLE = '"(?:[^"\\\\]|\\\\.)*"';
const SINGLE = "'(?:[^'\\\\]|\\\\.)*'";
/** A character. Where a single quote begins names too, as in Rust, a text with spaces is not one. */
const CHARACTER = "'(?:\\\\.|[^'\\\\])[^'\\s]{0,9}'";
const C_COMMENT = { open: '/*', close: '*/', role: 'comment' } as const;
const TEMPLATE = { open: '`', close: '`', role: 'string' } as const;

const FAMILIES: readonly Family[] = [
  {
    names: 'js jsx ts tsx javascript typescript mjs cjs mts cts json jsonc json5 vue svelte',
    comment: '//.*',
    opens: [C_COMMENT, TEMPLATE],
    hasTypes: true,
    keywords:
      'abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown var void while yield',
  },
  {
    names:
      'c h cpp c++ cc hpp cs csharp c# java kotlin kt scala swift dart go golang rust rs php groovy zig proto protobuf solidity glsl objc objective-c',
    comment: '//.*',
    single: CHARACTER,
    opens: [C_COMMENT, TEMPLATE],
    hasTypes: true,
    keywords:
      'abstract actor as async auto await bool boolean break byte case catch chan char class companion const constexpr continue data def default defer delete do double dyn echo else enum explicit export extends extern fallthrough false final finally float fn for foreach friend fun func function go goto guard if impl implements import in include inline int interface internal is lateinit let long loop match message mod module mut namespace native new nil noexcept null nullptr object of open operator out override package private protected protocol pub public range readonly record ref return sealed select self short signed sizeof static string struct super suspend switch synchronized template this throw throws trait true try type typedef typename uint union unsafe unsigned use using val var virtual void volatile when where while with yield',
  },
  {
    names: 'python py python3 pyi starlark',
    comment: '#.*',
    opens: [
      { open: '"""', close: '"""', role: 'string' },
      { open: "'''", close: "'''", role: 'string' },
    ],
    hasTypes: true,
    keywords:
      'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield True False None self',
  },
  {
    names: 'ruby rb elixir ex exs crystal perl pl r julia jl nim',
    comment: '#.*',
    hasTypes: true,
    keywords:
      'alias and begin break case class def defmodule do else elsif end ensure false for fn function if in include let loop module my next nil not or our print puts raise redo require rescue retry return self sub super then true unless until use when while yield',
  },
  {
    names: 'sh bash zsh shell fish console terminal shell-session dockerfile docker makefile make nix powershell ps1',
    comment: '(?<![^\\s;&|(])#.*',
    word: '[A-Za-z_][\\w-]*',
    keywords:
      'alias break case cd continue do done echo elif else esac eval exec exit export fi for from function if in local read readonly return select set shift source sudo test then trap unset until while ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM RUN USER WORKDIR',
  },
  {
    names: 'yaml yml toml ini conf cfg properties env dotenv editorconfig hcl tf terraform',
    comment: '(?<!\\S)[#;].*',
    word: '[A-Za-z_][\\w.-]*',
    keywords: 'true false null yes no on off',
  },
  {
    names: 'html xml svg xhtml plist jinja handlebars erb',
    opens: [{ open: '<!--', close: '-->', role: 'comment' }],
    word: '</?[\\w:-]+|[A-Za-z_][\\w:-]*',
    keywords: '',
  },
  {
    names: 'css scss less sass',
    comment: '(?<!:)//.*',
    opens: [C_COMMENT],
    word: '[@#.]?-?[A-Za-z_][\\w-]*',
    keywords:
      '@media @import @font-face @keyframes @supports @include @mixin @use @layer important inherit initial none auto',
  },
  {
    names: 'sql mysql postgres postgresql sqlite plsql tsql',
    comment: '--.*',
    opens: [C_COMMENT],
    ignoresCase: true,
    keywords:
      'add all alter and as asc begin between by cascade case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with',
  },
  {
    names: 'lua haskell hs elm ada',
    comment: '--.*',
    hasTypes: true,
    keywords:
      'and break case class data deriving do else elseif end false for function goto if import in instance let local module newtype nil not of or repeat return then true type until where while',
  },
  { names: 'diff patch', keywords: '', wholeLine: diffRole },
];

/** Languages by the names that stand after a fence. */
export const LANGUAGES: ReadonlyMap<string, CodeLanguage> = new Map(
  FAMILIES.flatMap((family) => {
    const language = languageFrom(family);
    return family.names.split(' ').map((name) => [name, language] as const);
  }),
);

function languageFrom({
  keywords,
  comment,
  opens = [],
  word,
  single = SINGLE,
  ignoresCase,
  hasTypes,
  wholeLine,
}: Family): CodeLanguage {
  const marks = opens.map(({ open }) => open.replace(/[*`]/g, '\\$&'));
  const plain = '[^\\S\\n]+';
  const parts = [
    ...(comment ? [comment] : []),
    ...marks,
    DOUBLE,
    single,
    '\\d[\\w.]*',
    word ?? '[A-Za-z_$][\\w$]*',
    plain,
  ];
  return {
    tokens: new RegExp(parts.join('|'), 'y'),
    ...(comment ? { comment: new RegExp(`^(?:${comment})$`) } : {}),
    keywords: new Set(keywords.split(' ')),
    ignoresCase: ignoresCase ?? false,
    hasTypes: hasTypes ?? false,
    opens,
    ...(wholeLine ? { wholeLine } : {}),
  };
}

function diffRole(line: string): ColorRole | undefined {
  if (/^(?:\+\+\+|---|diff |index |@@)/.test(line)) return 'muted';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined;
}
