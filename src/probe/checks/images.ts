import type { ContentPart, Item } from '../../base/item.ts';
import { isRefused } from '../answer.ts';
import { type Check, failure, note, ok } from '../check.ts';
import { askTrying } from '../probe-run.ts';
import { ADD, message, TOOLS } from '../question.ts';

/** A red square of 8 × 8 pixels. */
const RED =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mP4z8CAFTEMLQkAKP8/wc53yE8AAAAASUVORK5CYII=';

const IMAGE: ContentPart = { type: 'input_image', image_url: RED };

/** Sends an image in a message of the user, then in the result of a tool. */
export const images: Check = {
  id: 'images',
  asks: 2,
  async run(run) {
    const input: Item[] = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which colour is this?' }, IMAGE] },
    ];
    const shown = await run.ask({ input });
    if (isRefused(shown)) return note('not accepted');
    const failed = failure(shown);
    if (failed !== undefined) return failed;
    const before = run.compat;
    const returned = await askTrying(run, { input: WITH_RESULT, tools: TOOLS }, [
      {
        compat: { toolImages: 'user' },
        reason: 'The server takes images only from users: those of tool results are sent in a message of the user.',
      },
    ]);
    const sees = /\bred\b/i.test(shown.text) ? 'seen' : 'accepted';
    if (returned.error !== undefined) return note(`${sees} from the user, refused in results`);
    return run.compat === before ? ok(`${sees}, in results too`) : note(`${sees} from the user only`);
  },
};

const WITH_RESULT: readonly Item[] = [
  message('user', 'Look at the image that the tool returns. Which colour is it?'),
  { type: 'function_call', call_id: 'call_probe1', name: ADD.name, arguments: '{"a":1,"b":2}' },
  { type: 'function_call_output', call_id: 'call_probe1', output: [{ type: 'input_text', text: 'Here.' }, IMAGE] },
];
