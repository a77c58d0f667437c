// Requests with a token that is renewed, through a proxy of the company:
// TOKEN_URL=https://login.example.org/token PROXY=http://proxy:3128 node examples/programs/own-transport.mjs "hello"
import { createAgent } from 'oxbow';
import { fetchThroughProxy } from './parts/fetch-through-proxy.mjs';

const { TOKEN_URL = '', PROXY } = process.env;

/** @type {Promise<{ token: string, until: number }> | undefined} One promise, so that many requests renew it once. */
let current;
async function renew() {
  const response = await fetch(TOKEN_URL, { method: 'POST', body: 'grant_type=client_credentials' });
  if (!response.ok) throw new Error(`The token server answered ${response.status}.`);
  const { access_token, expires_in } = await response.json();
  // A minute early, so that no token ends on its way.
  return { token: String(access_token), until: Date.now() + (Number(expires_in) - 60) * 1000 };
}
async function token() {
  const known = await current?.catch(() => undefined);
  if (known === undefined || known.until < Date.now()) current = renew();
  return (await (current ?? renew())).token;
}

const agent = createAgent({
  builtInTools: 'none',
  fetch: PROXY === undefined ? fetch : fetchThroughProxy(PROXY),
  async credentials({ refused }) {
    // The token was withdrawn: once more with a new one.
    if (refused) current = undefined;
    return { authorization: `Bearer ${await token()}` };
  },
});
const thread = await agent.startThread({ ephemeral: true });
const { finalResponse, error } = await thread.run(process.argv[2] ?? 'Hello.');
console.log(error?.message ?? finalResponse);
process.exitCode = error ? 1 : 0;
await agent.close();
