// A gateway over one of two HTTP clients, for bench/gateway.mjs --clients. Arguments: the file of the built parts, the
// port of the model server, and `own` or `node`.
import { createNodeHttp } from './node-http.mjs';

const [file, port, client] = process.argv.slice(2);
const { startGateway, loadConfig, realWorld, createHttp, ...parts } = await import(file);

const gateway = await startGateway({
  config: loadConfig({ overrides: ['gateway.port=0'] }),
  upstream: { url: `http://127.0.0.1:${port}/v1`, wire: 'chat' },
  world: realWorld(),
  onReport() {},
  http: client === 'own' ? createHttp() : createNodeHttp(parts),
});
process.send(Number(new URL(gateway.url).port));
process.on('disconnect', () => process.exit());
