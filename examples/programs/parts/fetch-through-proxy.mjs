// A fetch that goes through an HTTP proxy. On Node 24 and later, NODE_USE_ENV_PROXY=1 does this for the global fetch.
import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** @param {string} proxy @returns {import('oxbow').FetchLike} */
export function fetchThroughProxy(proxy) {
  return async (url, { method, headers, body, signal }) => {
    const target = new URL(url);
    /** @type {http.IncomingMessage} */
    const response = await new Promise((resolve, reject) => {
      /** @param {http.ClientRequest} request */
      const send = (request) => request.once('error', reject).once('response', resolve).end(body);
      if (target.protocol === 'http:') {
        // A proxy reads the whole address in the first line of a plain request.
        send(http.request(proxy, { method, path: url, headers: { ...headers, host: target.host }, signal }));
        return;
      }
      const { hostname, port } = target;
      const tunnel = http.request(proxy, { method: 'CONNECT', path: `${hostname}:${port || 443}`, signal });
      tunnel.once('error', reject).once('connect', ({ statusCode }, socket) => {
        if (statusCode !== 200) reject(new Error(`The proxy answered ${statusCode}.`));
        else send(https.request(target, { method, headers, signal, agent: new https.Agent({ socket }) }));
      });
      tunnel.end();
    });
    const { statusCode: status = 502, headers: received } = response;
    return { status, headers: new Headers(/** @type {any} */ (received)), body: Readable.toWeb(response) };
  };
}
