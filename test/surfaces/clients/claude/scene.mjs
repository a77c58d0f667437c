import { MCP_SERVER, openScene, runProgram } from '../programs/scene.mjs';

const SERVERS = JSON.stringify({ mcpServers: { echoes: { command: process.execPath, args: [MCP_SERVER] } } });

/** Flags for a run without questions that prints events and has our MCP server only. */
const FLAGS = [
  '--output-format',
  'stream-json',
  '--verbose',
  '--dangerously-skip-permissions',
  '--strict-mcp-config',
  '--mcp-config',
  SERVERS,
];

/** Starts a server of one kind, the gateway in front of it, and a Claude Code that is pointed at the gateway. */
export async function openClaudeScene(claude, kind, makeTask) {
  const scene = await openScene(kind, makeTask);
  const env = {
    ...scene.env,
    ANTHROPIC_BASE_URL: scene.gateway.url,
    ANTHROPIC_AUTH_TOKEN: 'any',
    // Nothing but the gateway is asked.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    // Lets root run it without questions.
    IS_SANDBOX: '1',
  };
  return {
    ...scene,
    runClaude: (args, more = {}) =>
      runProgram(claude, ['-p', ...args, ...FLAGS], { env: { ...env, ...more }, cwd: scene.work }),
  };
}
