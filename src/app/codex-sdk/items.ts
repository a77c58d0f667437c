// The items of the Codex SDK. They are type aliases and not interfaces, as in the SDK: programs pass them on as
// `Record<string, unknown>`. At run time an item may have more fields, as in the events of `codex exec --json`.

/** An answer of the model: a text, or JSON for a turn with an `outputSchema`. */
export type CodexAgentMessage = { id: string; type: 'agent_message'; text: string };

/** A summary of the model's reasoning. */
export type CodexReasoning = { id: string; type: 'reasoning'; text: string };

/** A command that the model ran. */
export type CodexCommandExecution = {
  id: string;
  type: 'command_execution';
  command: string;
  /** Output and errors, in the order in which they came. */
  aggregated_output: string;
  /** Not a number while the command runs. */
  exit_code?: number;
  status: 'in_progress' | 'completed' | 'failed';
};

/** A patch. */
export type CodexFileChange = {
  id: string;
  type: 'file_change';
  /** For a moved file, the old path. */
  changes: { path: string; kind: 'add' | 'delete' | 'update' }[];
  /** A patch that was not allowed counts as failed. */
  status: 'completed' | 'failed';
};

/** A call of a tool of an MCP server. */
export type CodexMcpToolCall = {
  id: string;
  type: 'mcp_tool_call';
  server: string;
  tool: string;
  arguments: unknown;
  /** Present when the call succeeded. */
  result?: { content: McpContent[]; _meta?: unknown; structured_content: unknown };
  /** Present when the call failed. */
  error?: { message: string };
  status: 'in_progress' | 'completed' | 'failed';
};

/** A part of a result, as MCP defines it. */
export type McpContent = McpExtras &
  (
    | { type: 'text'; text: string }
    | { type: 'image' | 'audio'; data: string; mimeType: string }
    | {
        type: 'resource_link';
        uri: string;
        name: string;
        title?: string | undefined;
        description?: string | undefined;
        mimeType?: string | undefined;
        size?: number | undefined;
        icons?: McpIcon[] | undefined;
      }
    | { type: 'resource'; resource: McpResource }
  );

/** Fields that every part may have. */
export type McpExtras = {
  annotations?:
    | {
        audience?: ('user' | 'assistant')[] | undefined;
        priority?: number | undefined;
        lastModified?: string | undefined;
      }
    | undefined;
  _meta?: { [key: string]: unknown } | undefined;
};

/** A picture that stands for a resource. */
export type McpIcon = {
  src: string;
  mimeType?: string | undefined;
  sizes?: string[] | undefined;
  theme?: 'light' | 'dark' | undefined;
};

/** The content of a resource: a text, or bytes in base64. */
export type McpResource = {
  uri: string;
  mimeType?: string | undefined;
  _meta?: { [key: string]: unknown } | undefined;
} & ({ text: string } | { blob: string });

/** A search on the web. */
export type CodexWebSearch = { id: string; type: 'web_search'; query: string };

/** The plan of a turn. */
export type CodexTodoList = { id: string; type: 'todo_list'; items: { text: string; completed: boolean }[] };

/** A warning. The turn goes on. */
export type CodexErrorItem = { id: string; type: 'error'; message: string };

/** An item of a turn. */
export type CodexItem =
  | CodexAgentMessage
  | CodexReasoning
  | CodexCommandExecution
  | CodexFileChange
  | CodexMcpToolCall
  | CodexWebSearch
  | CodexTodoList
  | CodexErrorItem;
