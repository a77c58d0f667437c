const HEAD = `// Written by scripts/write-settings.mjs from the tables in tables/. Change an entry there, then run the script.

/** Provider and model behind a name: \`PROVIDER/MODEL\`, or a table. */
export type RouteSetting =
  | string
  | { readonly provider: string; readonly model?: string; readonly single_call?: boolean };

/** Settings by their keys in config.toml. */
export interface Settings {
`;
const END = `  /** Settings that count when the profile of this name is chosen. */
  readonly profiles?: { readonly [name: string]: Settings };
}
`;

/** Texts about tables, which have no entry of their own. */
const TABLE_TEXTS = {
  auth: 'Sign-ins.',
  compat: 'Differences between the server and its protocol.',
  gateway: 'Settings of `oxbow gateway`.',
  location: 'Place that results are for.',
  mcp_servers: 'MCP servers by their names.',
  models: 'Facts about models that are not built in, by the name of a model or `PROVIDER/MODEL`.',
  model_prices: 'Prices by the name of a model or `PROVIDER/MODEL`, in US dollars for a million tokens.',
  model_providers: 'Providers by their ids.',
  oauth: 'Sign-in at the server.',
  projects: 'Projects by the path of their folder.',
  repairs: 'Repairs that can be turned off.',
  rules: 'Rules about commands.',
  sandbox_workspace_write: 'Limits of commands with `sandbox_mode = "workspace-write"`.',
  shell_environment_policy: 'Variables that commands get.',
  history: 'Texts that you sent.',
  snapshots: 'Snapshots of the workspace.',
  tools: 'Tools that the model is offered.',
  tui: 'The interactive terminal.',
  web_search: 'Search of the web: whether it is on, or its settings.',
};

/** Types of settings whose accepted values are not all in their text. */
const TYPES = {
  approval_policy:
    "'untrusted' | 'on-failure' | 'on-request' | 'never' | { readonly granular: { readonly [question: string]: boolean } }",
  'auth.callback_ports': 'readonly number[]',
  forced_chatgpt_workspace_id: 'string | readonly string[]',
  'gateway.key_env': 'string | readonly string[]',
  'gateway.models.*': '{ readonly [name: string]: RouteSetting }',
  'model_providers.*.compat.output_images': 'boolean',
  'tui.keys.*': '{ readonly [action: string]: string | readonly string[] }',
  'tui.notifications': 'boolean | readonly string[]',
};

/** Types by the words for the accepted values. */
const WORDED_TYPES = [
  [/^a list of "/, (choices) => `readonly (${choices})[]`],
  [/^a list of|^a program and its words/, () => 'readonly string[]'],
  [/^one of /, (choices) => choices],
  [/^a string/, () => 'string'],
  [/^a (whole )?number/, () => 'number'],
  [/^true or false$/, () => 'boolean'],
  [/^true, false or a table with `enabled`$/, () => 'boolean | { readonly enabled?: boolean }'],
  [/^".*, true or false$/, (choices) => `${choices} | boolean`],
];

/** Returns the file with the type of all settings as a tree. `docs` has their doc comments. */
export function settingsType(settings, docs) {
  const tree = new Map();
  for (const setting of settings) {
    const words = setting.key.split('.');
    // The type of a table whose names the user chooses is that of its key.
    if (words.at(-1) === '*') words.pop();
    const last = words.pop();
    const table = words.reduce((node, word) => (node.has(word) ? node : node.set(word, new Map())).get(word), tree);
    const newer = settings.find(({ older }) => older === setting);
    const text = newer ? `Older name of \`${newer.key}\`.` : docs.get(setting.key).text;
    table.set(last, { type: typeOf(setting), text: text.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1') });
  }
  return `${HEAD}${membersOf(tree, '  ')}${END}`;
}

/** Returns the type of the values that a setting accepts. */
function typeOf({ key, expected }) {
  if (TYPES[key]) return TYPES[key];
  const choices = [...expected.matchAll(/"([^"]+)"/g)].map(([, choice]) => `'${choice}'`).join(' | ');
  const [, worded] = WORDED_TYPES.find(([words]) => words.test(expected)) ?? [];
  if (worded === undefined) throw new Error(`${key} needs a type: "${expected}" is unknown.`);
  return key.endsWith('.*') ? `{ readonly [name: string]: ${worded(choices)} }` : worded(choices);
}

function membersOf(tree, indent) {
  return [...tree].map(([key, node]) => memberOf(key, node, indent)).join('');
}

function memberOf(key, node, indent) {
  if (!(node instanceof Map)) {
    return `${indent}/** ${node.text} */\n${indent}readonly ${key}?:${unionText(`${node.type} | undefined`, key, indent)};\n`;
  }
  if (key !== '*' && !TABLE_TEXTS[key]) throw new Error(`The table ${key} needs a text in TABLE_TEXTS.`);
  const start =
    key === '*'
      ? `${indent}readonly [name: string]:`
      : `${indent}/** ${TABLE_TEXTS[key]} */\n${indent}readonly ${key}?:`;
  // `true` and `false` are a short form of this table.
  if (key === 'web_search')
    return `${start}\n${indent}  | boolean\n${indent}  | {\n${membersOf(node, `${indent}      `)}${indent}    };\n`;
  return `${start} {\n${membersOf(node, `${indent}  `)}${indent}};\n`;
}

/** Returns a type on the line of its key where it fits, otherwise on lines of its own, as the formatter does. */
function unionText(type, key, indent) {
  if (indent.length + `readonly ${key}?: ${type};`.length <= 120) return ` ${type}`;
  return type
    .split(/ \| (?![^{]*\})/)
    .map((part) => `\n${indent}  | ${part}`)
    .join('');
}
