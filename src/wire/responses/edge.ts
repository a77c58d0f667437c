import type { EdgeWire } from '../edge.ts';
import { adaptRules } from './adapt-rules.ts';
import { editRequest, withoutSealed } from './edit-request.ts';

export const edge: EdgeWire = {
  editRequest,
  withoutSealed,
  adapt: adaptRules,
};
