import type { Agent } from '../app/agent.ts';
import type { ApprovalPolicy } from '../base/policy.ts';
import { COLOR_NAMES, COLOR_ROLES } from '../config/tables/tui.ts';
import type { ColorRole, SpanColor } from '../text/span.ts';
import type { TuiMessage } from './message.ts';
import { bindKeys } from './update/key-bindings.ts';
import { THEMES, type Theme } from './view/themes.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the message that tells the model about the agent and the terminal. */
export function readyMessage(
  { config, provider, model }: Agent,
  { env, attributes }: { readonly env: Env; readonly attributes: boolean },
): TuiMessage {
  const { tui, policy, cwd } = config;
  const home = env.HOME ?? '';
  return {
    type: 'ready',
    place: {
      cwd,
      shown: home !== '' && `${cwd}/`.startsWith(`${home}/`) ? `~${cwd.slice(home.length)}` : cwd,
      branch: null,
    },
    look: {
      wrap: tui.wrap,
      unicode: isUnicode(env),
      hyperlinks: env.TERM !== 'linux',
      attributes,
      notifies: tui.notifications,
      theme: isTheme(tui.theme) ? tui.theme : 'terminal',
      themes: { own: ownTheme(tui.colors) },
    },
    keys: bindKeys(tui.keys),
    settings: {
      model,
      provider: provider.name,
      effort: config.reasoningEffort,
      approval: approvalName(policy.approval),
      sandbox: policy.sandbox.mode,
      tokens: 0,
      cost: 0,
      contextLeft: null,
      terminals: 0,
    },
  };
}

const isTheme = (name: string) => Object.hasOwn({ ...THEMES, own: true }, name);

/** Returns the sentence about a theme that does not exist. A home of Codex may name one of its own. */
export function themeNote({ home, tui }: Agent['config'], env: Env): string | undefined {
  const isOfCodex = home === env.CODEX_HOME || /[\\/]\.codex$/.test(home);
  if (isTheme(tui.theme) || isOfCodex) return undefined;
  const names = [...Object.keys(THEMES), 'own'].join(', ');
  return `There is no theme ${tui.theme} (tui.theme), so the colours are the terminal's. There are: ${names}.`;
}

const approvalName = (approval: ApprovalPolicy): string => (typeof approval === 'string' ? approval : 'granular');

/** Reports whether the terminal shows more than ASCII, as its locale says. */
function isUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: Env): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return TERM !== 'linux' && (locale === undefined || locale === '' || /utf-?8/i.test(locale));
}

const ROLES: readonly ColorRole[] = COLOR_ROLES;

/** Returns the theme that the user's colours make. */
function ownTheme(colors: Readonly<Record<string, string>>): Theme {
  const entries = ROLES.flatMap((role) => {
    const color = readColor(colors[role] ?? '');
    return color === undefined ? [] : [[role, color] as const];
  });
  return Object.fromEntries(entries);
}

function readColor(text: string): SpanColor | undefined {
  const [, red = '', green = '', blue = ''] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/.exec(text) ?? [];
  if (red !== '') return [red, green, blue].map((part) => Number.parseInt(part, 16)) as [number, number, number];
  if (/^\d{1,3}$/.test(text) && Number(text) < 256) return Number(text);
  const name = COLOR_NAMES.indexOf(text.replace(/^bright[ -]/, ''));
  if (name < 0) return undefined;
  return text.startsWith('bright') ? name + 8 : name;
}
