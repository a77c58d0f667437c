/** What is reached without the proxy: servers that commands start themselves. */
const DIRECT = 'localhost,127.0.0.1,::1';

/** The variables by which programs find a proxy on this port of their loopback. */
export function proxyVariables(port: number): Record<string, string> {
  const url = `http://127.0.0.1:${port}`;
  return {
    http_proxy: url,
    HTTP_PROXY: url,
    https_proxy: url,
    HTTPS_PROXY: url,
    all_proxy: url,
    ALL_PROXY: url,
    no_proxy: DIRECT,
    NO_PROXY: DIRECT,
    // Newer versions of Node heed the others only then.
    NODE_USE_ENV_PROXY: '1',
  };
}
