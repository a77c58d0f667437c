import { createAgent } from '../../../../src/app/agent.ts';
import { type CommandHelp, formatHelp } from '../../../../src/cli/format-help.ts';
import { parseOptions } from '../../../../src/cli/parse-options.ts';

const options = { help: { type: 'boolean', short: 'h', help: 'Show this text' } } as const;

export const help: CommandHelp = {
  usage: 'oxbow scratch PROMPT',
  about: 'Runs one turn and shouts the answer.',
  options,
  example: 'oxbow scratch "say hello"',
};

export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions('scratch', options, argv);
  if (values.help) {
    process.stdout.write(formatHelp(help));
    return 0;
  }
  const agent = createAgent();
  const thread = await agent.startThread();
  thread.subscribe((event) => {
    if (event.type === 'item.completed' && event.item.type === 'agent_message')
      process.stdout.write(`${event.item.text.toUpperCase()}\n`);
  });
  const { status } = await thread.run(positionals.join(' '));
  await agent.close();
  return status === 'completed' ? 0 : 1;
}
