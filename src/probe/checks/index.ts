import type { Check } from '../check.ts';
import { call } from './call.ts';
import { errors } from './errors.ts';
import { images } from './images.ts';
import { instructions } from './instructions.ts';
import { names } from './names.ts';
import { parallel } from './parallel.ts';
import { parameters } from './parameters.ts';
import { reach } from './reach.ts';
import { reasoning } from './reasoning.ts';
import { nextTurn, result } from './result.ts';
import { roles } from './roles.ts';
import { schema } from './schema.ts';
import { stream } from './stream.ts';
import { toolChoices } from './tool-choice.ts';
import { usage } from './usage.ts';

/** The checks in their order. Later ones build on the settings and answers of earlier ones. */
export const CHECKS: readonly Check[] = [
  reach,
  instructions,
  call,
  result,
  nextTurn,
  parallel,
  ...toolChoices,
  roles,
  parameters,
  schema,
  names,
  images,
  errors,
  stream,
  usage,
  reasoning,
];
