import { EMPTY_COMPOSER } from './composer/composer.ts';
import type { TuiModel } from './model.ts';
import type { Size } from './screen/frame.ts';
import { bindKeys } from './update/key-bindings.ts';

/** Returns the model of a terminal in which nothing has happened yet. */
export function initialModel(size: Size, now: number): TuiModel {
  return {
    size,
    look: {
      wrap: 'words',
      unicode: true,
      hyperlinks: true,
      attributes: true,
      notifies: true,
      theme: 'terminal',
      themes: {},
    },
    place: { cwd: '', shown: '', branch: null },
    settings: {
      model: '',
      provider: '',
      effort: null,
      approval: '',
      sandbox: '',
      tokens: 0,
      cost: 0,
      contextLeft: null,
      terminals: 0,
    },
    configured: { approval: '', sandbox: '' },
    overrides: {},
    stage: 'starting',
    thread: null,
    isOpening: false,
    composer: EMPTY_COMPOSER,
    recall: null,
    prompts: [],
    outbox: [],
    lastEntry: null,
    turn: null,
    items: [],
    plan: null,
    isPlanLive: false,
    answer: '',
    lastCommand: null,
    sending: [],
    steered: [],
    later: [],
    isHeld: false,
    delayed: [],
    questions: [],
    list: null,
    pager: null,
    folded: null,
    hint: null,
    armed: null,
    lastKeyAt: 0,
    now,
    focused: null,
    keys: bindKeys(),
  };
}
