/** A configured MCP server. */
export type McpServerConfig = McpStdioServer | McpHttpServer | McpObjectServer;

/** An MCP server that is a program on this machine. */
export interface McpStdioServer extends McpServerSettings {
  readonly type: 'stdio';
  /** Program, found by PATH, or its path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that the program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables that are passed on to the program. */
  readonly envVars: readonly string[];
  /** Absolute path of its working folder, or null for that of the agent. */
  readonly cwd: string | null;
}

/** An MCP server behind an address. */
export interface McpHttpServer extends McpServerSettings {
  readonly type: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Headers whose values are in variables: the name of the header, the name of the variable. */
  readonly envHeaders: Readonly<Record<string, string>>;
  /** Variable with a bearer token, or null. */
  readonly bearerTokenEnvVar: string | null;
  readonly oauth: McpOauthSettings;
}

/** An MCP server that is an object of this process. */
export interface McpObjectServer extends McpServerSettings {
  readonly type: 'object';
  readonly server: McpServerObject;
}

/** A server of an MCP SDK that can be connected with a transport of the SDK. */
export interface McpServerObject {
  connect(transport: never): Promise<unknown>;
}

/** Settings of a sign-in at an MCP server. */
export interface McpOauthSettings {
  /** Id of a client that is registered already, or null. */
  readonly clientId: string | null;
  /** Variable with the secret of that client, or null. */
  readonly clientSecretEnvVar: string | null;
  /** Scopes to ask for, or null for those that the server names. */
  readonly scopes: readonly string[] | null;
  /** Resource to ask a token for, or null for the address of the server. */
  readonly resource: string | null;
}

/** Settings that all MCP servers have. */
export interface McpServerSettings {
  readonly name: string;
  readonly enabled: boolean;
  /** Whether a thread fails to start when the server does. */
  readonly required: boolean;
  readonly startupTimeoutMs: number;
  readonly toolTimeoutMs: number;
  /** The only tools to offer, or null for all. */
  readonly enabledTools: readonly string[] | null;
  readonly disabledTools: readonly string[];
  /** Whether all of its tools may run at the same time as other calls. */
  readonly parallelCalls: boolean;
  readonly approval: McpApprovalMode;
  /** Approval by the name of a tool, which beats `approval`. */
  readonly toolApprovals: Readonly<Record<string, McpApprovalMode>>;
  /** Whether the server may ask for messages of the model. Default: false. */
  readonly sampling?: boolean;
  /** Most bytes of the schema of one tool, as JSON. Default: 8192. */
  readonly schemaMaxBytes?: number;
  /** Most tokens of an output, by the name of a tool. */
  readonly toolOutputTokens?: Readonly<Record<string, number>>;
}

/**
 * Mode that says when a call of a tool needs approval. `auto`: by the hints of the tool. `prompt`: always. `writes`: unless the tool
 * says that it only reads. `approve`: never.
 */
export type McpApprovalMode = 'auto' | 'prompt' | 'writes' | 'approve';
