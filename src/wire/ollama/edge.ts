import type { EdgeWire } from '../edge/edge-wire.ts';
import { hasOnlyFunctions } from '../lowering/only-functions.ts';
import { adaptRules } from './adapt-rules.ts';
import { editRequest } from './edit-request.ts';
import { exchangeEdge } from './exchange-edge.ts';
import { isNothing, loadAnswer } from './load-answer.ts';
import { ownRoutes } from './own-routes.ts';

export const edge: EdgeWire = {
  ...exchangeEdge,
  routes: [{ type: 'exchange', method: 'POST', path: '/api/chat' }, ...ownRoutes],
  hasRareTools: ({ tools }) => !hasOnlyFunctions(tools),
  editRequest,
  emptyAnswer: (body, createdAt) => (isNothing(body.messages) ? loadAnswer(body, createdAt, NO_MESSAGE) : undefined),
  adapt: adaptRules,
};

const NO_MESSAGE = { message: { role: 'assistant', content: '' } };
