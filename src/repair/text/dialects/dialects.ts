import type { Dialect } from '../dialect.ts';
import { argKeyValue } from './arg-key-value.ts';
import { bareParameters } from './bare-parameters.ts';
import { bracketTokens } from './bracket-tokens.ts';
import { dsmlTags } from './dsml-tags.ts';
import { functionJson } from './function-json.ts';
import { functionParameters } from './function-parameters.ts';
import { invokeTags } from './invoke-tags.ts';
import { invokeWithoutBrackets } from './invoke-without-brackets.ts';
import { prefixedElements } from './prefixed-elements.ts';
import { pythonTag } from './python-tag.ts';
import { sectionTokens } from './section-tokens.ts';
import { separatorTokens } from './separator-tokens.ts';
import { toolCallJson } from './tool-call-json.ts';
import { wholeMessageJson } from './whole-message-json.ts';

/**
 * Dialects in the order in which they are tried: tokens, tags, whole messages. Several begin with the same marker, and
 * the text after it fits only one of them. The exception is `bareParameters`, which must come before
 * `wholeMessageJson`.
 */
export const DIALECTS: readonly Dialect[] = [
  prefixedElements,
  sectionTokens,
  separatorTokens,
  dsmlTags,
  bracketTokens,
  pythonTag,
  toolCallJson,
  functionParameters,
  argKeyValue,
  invokeTags,
  functionJson,
  invokeWithoutBrackets,
  bareParameters,
  wholeMessageJson,
];
