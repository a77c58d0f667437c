import { step } from '../effect.ts';
import { table, told } from './notice.ts';
import type { SlashCommand } from './slash-command.ts';

/** Lists the MCP servers, their state and their tools. */
export const mcp: SlashCommand = {
  summary: 'list the MCP servers and their tools',
  begin: (model) => step(model, { type: 'perform', command: 'mcp', task: { what: 'list', value: '' } }),
  async perform({ agent }) {
    const states = await agent.mcp.states();
    if (states.length === 0) return [told('There are no MCP servers. To add one: oxbow mcp add NAME -- COMMAND')];
    const rows = states.map(({ server, status, tools, message }) => {
      const count = status === 'ready' ? `, ${tools} ${tools === 1 ? 'tool' : 'tools'}` : '';
      return [server, `${status}${count}${message === null ? '' : `: ${message}`}`] as const;
    });
    return [table('MCP servers', rows)];
  },
};
