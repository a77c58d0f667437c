import { claude } from './claude.ts';
import type { GatewayClient } from './client.ts';
import { codex } from './codex.ts';
import { cline, continueDev } from './editors.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { aider, anthropicSdk, ollama, openaiSdk, openhands } from './variable-clients.ts';
import { zed } from './zed.ts';

/** Clients that the gateway can be set up for, by the name on the command line. */
export const CLIENTS: ReadonlyMap<string, GatewayClient> = new Map(
  Object.entries({
    codex,
    claude,
    opencode,
    pi,
    zed,
    aider,
    openhands,
    cline,
    continue: continueDev,
    'openai-sdk': openaiSdk,
    'anthropic-sdk': anthropicSdk,
    ollama,
  }),
);
