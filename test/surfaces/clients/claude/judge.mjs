import { gatewayFaults, requestFaults } from '../programs/judge.mjs';
import { DONE } from './task.mjs';

/** Returns the faults after a run of the task, as sentences. */
export function judgeTask(kind, { run, server: { wire, exchanges }, gateway, read }) {
  const steps = kind.atOnce ? [0, 4] : [0, 1, 2, 3, 4];
  return [
    ...fileFaults(read),
    ...claudeFaults(run, DONE.text),
    ...usageFaults(run),
    ...thoughtFaults(kind, run),
    ...requestFaults(kind, { wire, exchanges, steps, outputs: ['first line', 'edited by the model', DONE.echo] }),
    ...gatewayFaults(kind, gateway.exchanges()),
  ];
}

function fileFaults(read) {
  return ['notes.txt', 'tested.txt']
    .filter((name) => read(name) !== DONE[name])
    .map((name) => `${name} holds ${JSON.stringify(read(name))}`);
}

/** Returns the faults of a run that should end well, with this text or a text that fits. */
export function claudeFaults({ code, events, stderr }, text) {
  const blocks = events.flatMap(({ message }) => (Array.isArray(message?.content) ? message.content : []));
  const failed = blocks.filter(({ type, is_error }) => type === 'tool_result' && is_error === true);
  const retries = events.filter(({ subtype }) => subtype === 'api_retry');
  const result = events.findLast(({ type }) => type === 'result') ?? {};
  const isExpected = text instanceof RegExp ? text.test(result.result) : result.result === text;
  return [
    code !== 0 && `Claude Code ended with code ${code}: ${stderr}`,
    (result.is_error !== false || !isExpected) && `the result is ${JSON.stringify(result.result)}`,
    ...failed.map(({ content }) => `a tool failed: ${JSON.stringify(content)}`),
    ...retries.map((retry) => `Claude Code tried again: ${JSON.stringify(retry)}`),
  ].filter(Boolean);
}

function usageFaults({ events }) {
  const { usage } = events.findLast(({ type }) => type === 'result') ?? {};
  return usage?.input_tokens > 0 && usage.output_tokens > 0 ? [] : [`the usage is ${JSON.stringify(usage)}`];
}

function thoughtFaults({ hasThoughts = false }, { events }) {
  const thoughts = events.flatMap(({ type, message }) =>
    type === 'assistant' ? message.content.filter((block) => block.type === 'thinking') : [],
  );
  const expected = hasThoughts ? 4 : 0;
  if (thoughts.length === expected) return [];
  return [`there were ${thoughts.length} thoughts, expected ${expected}: ${JSON.stringify(thoughts)}`];
}
