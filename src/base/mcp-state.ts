/** The state of an MCP server. */
export interface McpServerState {
  readonly server: string;
  /**
   * `stopped`: no thread has begun. `starting`: it has not answered yet. `ready`: its tools can be called. `restarting`: it
   * died and is started again. `failed`: it could not be started, or died too often.
   */
  readonly status: 'stopped' | 'starting' | 'ready' | 'restarting' | 'failed';
  /** Number of tools that it offers. */
  readonly tools: number;
  /** Why it failed or is started again, as a sentence. Otherwise null. */
  readonly message: string | null;
}
