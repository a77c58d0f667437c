/** Loads the gateway, which only its command needs. */
export const loadGateway = () => import('../../gateway/start-gateway.ts');

type StartOptions = Parameters<Awaited<ReturnType<typeof loadGateway>>['startGateway']>[0];

export type GatewayUpstream = NonNullable<StartOptions['upstream']>;
export type GatewayReport = Parameters<StartOptions['onReport']>[0];
