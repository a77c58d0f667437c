import type { EdgeWire } from '../edge/edge-wire.ts';
import { hasOnlyFunctions } from '../lowering/only-functions.ts';
import { adaptRules } from './adapt-rules.ts';
import { editRequest } from './edit-request.ts';
import { ownRoutes } from './own-routes.ts';
import { sharedEdge } from './shared-edge.ts';

export const edge: EdgeWire = {
  ...sharedEdge,
  routes: [{ type: 'exchange', method: 'POST', path: '/api/chat' }, ...ownRoutes],
  hasRareTools: ({ tools }) => !hasOnlyFunctions(tools),
  editRequest,
  adapt: adaptRules,
};
