import { checked, FILE, FLAG, oneOf, refined, TEXT } from '../setting/kinds.ts';
import { setting } from '../setting/setting.ts';

/** A server would answer a request without a name with an error of its own. */
const MODEL_NAME = refined(TEXT, 'a string that names a model', (name) => name.trim() !== '');

const STORAGE = checked(
  '"auto", true or false',
  (value): value is 'auto' | boolean => value === 'auto' || typeof value === 'boolean',
);

/** Other characters cannot be sent. */
const HEADER = refined(TEXT, 'a string of visible ASCII characters', (text) => /^[!-~]([ -~]*[!-~])?$/.test(text));

export const MODEL_SETTINGS = {
  /**
   * Name of the model.
   * @default `gpt-5.5`, or the only model of a server on this machine
   */
  model: setting('model', MODEL_NAME, { variable: 'OXBOW_MODEL' }),
  /**
   * Name of the model that `exec review` uses. `-m NAME` beats it.
   * @default `model`
   */
  reviewModel: setting('review_model', MODEL_NAME),
  /** Provider that serves the model: the id of a [built-in one](#providers) or of your own. */
  modelProvider: setting('model_provider', TEXT, { default: 'openai', variable: 'OXBOW_MODEL_PROVIDER' }),
  /**
   * Server on this machine that `exec --oss` asks: `ollama`, `lmstudio` or the id of your own provider.
   * @default the one that runs
   */
  ossProvider: setting('oss_provider', TEXT),
  /** Another address for the built-in provider `openai`. */
  openaiBaseUrl: setting('openai_base_url', TEXT),
  /**
   * Whether Oxbow contacts only servers on [this machine](network.md#offline). A request to another one is an error before
   * its name is looked up.
   */
  offline: setting('offline', FLAG, { default: false }),
  /**
   * Address of ChatGPT, for requests with a [sign-in](#keys) with ChatGPT.
   * @default `https://chatgpt.com/backend-api`
   */
  chatgptBaseUrl: setting('chatgpt_base_url', TEXT),
  /**
   * Whether servers are asked to [store responses](#stored-responses). With `"auto"`, OpenAI is, for requests with an
   * API key.
   */
  responseStorage: setting('response_storage', STORAGE, { default: 'auto' }),
  /** The same as `response_storage = false`, which is the newer name. */
  disableResponseStorage: setting('disable_response_storage', FLAG, { default: false }),
  /**
   * End of a turn, or a wait, when a server says that the [usage limit](usage.md#limits-of-accounts) of the account is
   * reached. `wait` goes on after the reset.
   */
  onUsageLimit: setting('on_usage_limit', oneOf('stop', 'wait'), { default: 'stop' }),
  /**
   * Name of the program that requests are sent by, as servers see it.
   * @default that of the surface, such as `oxbow_exec`
   */
  originator: setting('originator', HEADER, { variable: 'CODEX_INTERNAL_ORIGINATOR_OVERRIDE' }),
  /**
   * Header `user-agent` of requests.
   * @default the originator with its version and the system
   */
  userAgent: setting('user_agent', HEADER),
  /**
   * Whether calls that a server left in the text of an answer are [found and run](repairs.md#calls-in-texts). `false` turns
   * it off for every provider; `compat.text_calls` does so for one.
   */
  textCalls: setting('text_calls', FLAG, { default: true }),
  /** How long the model thinks, such as `low` or `high`. Sent as it is. */
  reasoningEffort: setting('model_reasoning_effort', TEXT),
  /** Summary of its reasoning that the model is asked for. */
  reasoningSummary: setting('model_reasoning_summary', oneOf('auto', 'concise', 'detailed', 'none'), {
    default: 'auto',
  }),
  /** Length of answers. */
  verbosity: setting('model_verbosity', oneOf('low', 'medium', 'high')),
  /**
   * Class of service that requests ask for, such as `flex`. Sent as it is, except that `fast` is sent as `priority` and
   * `default` is not sent.
   */
  serviceTier: setting('service_tier', TEXT),
  /** File that replaces the [instructions](prompt.md) of Oxbow, including those for single models. */
  modelInstructionsFile: setting('model_instructions_file', FILE),
  /** Your own instructions. They follow those of Oxbow. */
  instructions: setting('instructions', TEXT),
  /** Text of a developer message of its own. */
  developerInstructions: setting('developer_instructions', TEXT),
};
