import { createHash } from 'node:crypto';

/** The names of the tools of MCP servers: from a server and its tool to a name for the model, and back. */
export interface McpToolNames {
  /**
   * Returns the name of each tool of a server for the model, by the name of the tool. `isTaken` reports whether another
   * tool of the thread has a name.
   */
  namesOf(
    server: string,
    tools: readonly string[],
    isTaken?: (name: string) => boolean,
  ): ReadonlyMap<string, McpToolName>;
  /**
   * Returns the server and the tools that a name of a call may mean, the most likely first. The forms `server__tool`,
   * `server.tool`, `mcp__server__tool` and a namespace are understood, and the longest name of a server wins.
   */
  meaningsOf(call: { readonly name: string; readonly namespace?: string | undefined }): readonly McpMeaning[];
}

/** The name of a tool for the model. */
export interface McpToolName {
  readonly name: string;
  /** Absent for a tool whose name is a digest. */
  readonly namespace?: string;
}

/** A tool of a server that a call may mean. The name of the tool may be its own or the safe form of it. */
export interface McpMeaning {
  readonly server: string;
  readonly tool: string;
}

const MAX_LENGTH = 64;
const KEPT = 24;

/**
 * Returns the names for servers that are all known beforehand. A name depends on the names of the servers and on the
 * tools of its own server only, so that it stays the same when another server starts late.
 */
export function createMcpToolNames(servers: readonly string[]): McpToolNames {
  const safe = safeServers(servers);
  const longestFirst = [...safe].sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));

  function isAmbiguous(server: string, name: string): boolean {
    return longestFirst.some(
      ([other, form]) =>
        other !== server && name.startsWith(`${form}__`) && form.length > (safe.get(server) ?? '').length,
    );
  }

  return {
    namesOf(server, tools, isTaken = () => false) {
      const namespace = safe.get(server) ?? safeForm(server);
      const forms = new Map<string, number>();
      for (const tool of tools) forms.set(safeForm(tool), (forms.get(safeForm(tool)) ?? 0) + 1);
      return new Map(
        tools.map((tool) => {
          const name = safeForm(tool);
          const flat = `${namespace}__${name}`;
          const isAlone = forms.get(name) === 1 || tool === name;
          const isPlain = flat.length <= MAX_LENGTH && isAlone && !isAmbiguous(server, flat) && !isTaken(flat);
          return [tool, isPlain ? { name, namespace } : { name: digestForm(flat, `${server}__${tool}`) }];
        }),
      );
    },
    meaningsOf(call) {
      const flat = flatNames(call);
      const words = [
        ...flat,
        ...flat.filter((word) => word.startsWith(PREFIX)).map((word) => word.slice(PREFIX.length)),
      ];
      return words.flatMap((word) =>
        longestFirst.flatMap(([server, form]) =>
          [...new Set([server, form])].flatMap((start) =>
            SEPARATORS.filter((separator) => word.startsWith(start + separator)).map((separator) => ({
              server,
              tool: word.slice(start.length + separator.length),
            })),
          ),
        ),
      );
    },
  };
}

const PREFIX = 'mcp__';
const SEPARATORS = ['__', '.'];
/** Namespace of all functions in the training of some models. They may name it in a call. */
const ALL_FUNCTIONS = 'functions';

/** Returns the name of a call with its namespace. Some models end a namespace with the separator. */
function flatNames({ name, namespace }: { readonly name: string; readonly namespace?: string | undefined }): string[] {
  if (namespace === undefined || namespace === ALL_FUNCTIONS) return [name];
  return [...new Set([namespace, namespace.replace(/__$/, '')])].map((space) => `${space}__${name}`);
}

/** Returns a name with every character replaced that servers of models refuse. */
export function safeForm(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, '_') || '_';
}

/** Returns the safe form of each server. No two servers get the same form. */
function safeServers(servers: readonly string[]): ReadonlyMap<string, string> {
  const forms = new Map<string, number>();
  for (const server of servers) forms.set(safeForm(server), (forms.get(safeForm(server)) ?? 0) + 1);
  return new Map(
    servers.map((server) => {
      const form = safeForm(server);
      return [server, forms.get(form) === 1 || server === form ? form : `${form}_${digest(server).slice(0, 8)}`];
    }),
  );
}

/** Returns the first characters of a name and the digest of the whole name. */
function digestForm(flat: string, whole: string): string {
  return `${flat.slice(0, KEPT)}${digest(whole)}`;
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
