import type { EdgeWire } from '../edge/edge-wire.ts';
import { hasOnlyFunctions } from '../lowering/only-functions.ts';
import { adaptRules } from './adapt-rules.ts';
import { editRequest } from './edit-request.ts';
import { exchangeEdge } from './exchange-edge.ts';
import { ownRoutes } from './own-routes.ts';

export const edge: EdgeWire = {
  ...exchangeEdge,
  routes: [{ type: 'exchange', method: 'POST', path: '/api/chat' }, ...ownRoutes],
  hasRareTools: ({ tools }) => !hasOnlyFunctions(tools),
  editRequest,
  adapt: adaptRules,
};
