const TOKEN = ']<]minimax[>[';

/** A call of `exec_command` as models write it into their texts, by the name of the form. */
export const BLOCKS: Readonly<Record<string, (cmd: string) => string>> = {
  hermes: (cmd) => `<tool_call>\n${json(cmd)}\n</tool_call>`,
  'hermes in a line': (cmd) => `<tool_call>${json(cmd)}</tool_call>`,
  coder: (cmd) =>
    `<tool_call>\n<function=exec_command>\n<parameter=cmd>\n${cmd}\n</parameter>\n</function>\n</tool_call>`,
  'coder without its opening tag': (cmd) =>
    `<function=exec_command>\n<parameter=cmd>\n${cmd}\n</parameter>\n</function>\n</tool_call>`,
  'function in a line': (cmd) => `<function=exec_command>${args(cmd)}</function>`,
  glm: (cmd) => `<tool_call>exec_command\n<arg_key>cmd</arg_key>\n<arg_value>${cmd}</arg_value>\n</tool_call>`,
  kimi: (cmd) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.exec_command:0<|tool_call_argument_begin|>${args(cmd)}<|tool_call_end|><|tool_calls_section_end|>`,
  'deepseek, fenced': (cmd) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>exec_command\n\`\`\`json\n${args(cmd)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  deepseek: (cmd) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>exec_command<｜tool▁sep｜>${args(cmd)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  dsml: (cmd) =>
    `<｜DSML｜tool_calls>\n<｜DSML｜invoke name="exec_command">\n<｜DSML｜parameter name="cmd" string="true">${cmd}</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>`,
  minimax: (cmd) =>
    `<minimax:tool_call>\n<invoke name="exec_command">\n<parameter name="cmd">${cmd}</parameter>\n</invoke>\n</minimax:tool_call>`,
  invoke: (cmd) => `<invoke name="exec_command">\n<parameter name="cmd">${cmd}</parameter>\n</invoke>`,
  'minimax with tokens': (cmd) =>
    `${TOKEN}<tool_call>\n${TOKEN}<invoke name="exec_command">\n${TOKEN}<cmd>${cmd}${TOKEN}</cmd>\n${TOKEN}</invoke>\n${TOKEN}</tool_call>`,
  llama: (cmd) => `<|python_tag|>{"name": "exec_command", "parameters": ${args(cmd)}}`,
  'llama 4': (cmd) => `<|python_start|>{"name": "exec_command", "parameters": ${args(cmd)}}<|python_end|>`,
  'mistral, a list': (cmd) => `[TOOL_CALLS][${json(cmd)}]`,
  mistral: (cmd) => `[TOOL_CALLS]exec_command[ARGS]${args(cmd)}`,
  'gpt-oss': (cmd) =>
    `<|channel|>commentary to=functions.exec_command <|constrain|>json<|message|>${args(cmd)}<|call|>`,
};

/** The same in JSON that is a call only where it is the whole message. */
export const WHOLE_MESSAGES: Readonly<Record<string, (cmd: string) => string>> = {
  'bare JSON': (cmd) => json(cmd),
  'fenced JSON': (cmd) => `\`\`\`json\n${json(cmd)}\n\`\`\``,
  'bare parameters': (cmd) => `{"name": "exec_command", "parameters": ${args(cmd)}}`,
};

export function json(cmd: string): string {
  return `{"name": "exec_command", "arguments": ${args(cmd)}}`;
}

function args(cmd: string): string {
  return JSON.stringify({ cmd });
}
