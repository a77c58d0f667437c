import type { EdgeWire } from '../edge.ts';
import { adaptRules } from './adapt-rules.ts';
import { editRequest } from './edit-request.ts';

export const edge: EdgeWire = {
  editRequest,
  withoutSealed: (body) => body,
  adapt: adaptRules,
};
