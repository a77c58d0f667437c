import type { EdgeWire } from '../edge/edge-wire.ts';
import { editField, withField, withoutFields } from '../fields/edit-fields.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import { saysSomething } from './inspect.ts';

export const firstCallOnly: EdgeWire['firstCallOnly'] = () => {
  let called = false;
  return (line) => {
    const message = fieldsOf(line.message);
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const kept = called ? [] : calls.slice(0, 1);
    called ||= calls.length > 0;
    if (kept.length === calls.length) return line;
    const rest = editField(line, 'message', () =>
      kept.length === 0 ? withoutFields(message, ['tool_calls']) : withField(message, 'tool_calls', kept),
    );
    return rest.done === true || saysSomething(rest) ? rest : undefined;
  };
};
