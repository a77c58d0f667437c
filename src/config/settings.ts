// Written by scripts/write-settings.mjs from the tables in tables/. Change an entry there, then run the script.

/** Provider and model behind a name: `PROVIDER/MODEL`, or a table. */
export type RouteSetting =
  | string
  | { readonly provider: string; readonly model?: string; readonly single_call?: boolean };

/** Settings by their keys in config.toml. */
export interface Settings {
  /** Profile to use. `-p NAME` beats it. */
  readonly profile?: string | undefined;
  /** Name of the model. */
  readonly model?: string | undefined;
  /** Name of the model that `exec review` uses. `-m NAME` beats it. */
  readonly review_model?: string | undefined;
  /** Provider that serves the model: the id of a built-in one or of your own. */
  readonly model_provider?: string | undefined;
  /** Server on this machine that `exec --oss` asks: `ollama`, `lmstudio` or the id of your own provider. */
  readonly oss_provider?: string | undefined;
  /** Another address for the built-in provider `openai`. */
  readonly openai_base_url?: string | undefined;
  /** Whether Oxbow contacts only servers on this machine. A request to another one is an error before its name is looked up. */
  readonly offline?: boolean | undefined;
  /** Address of ChatGPT, for requests with a sign-in with ChatGPT. */
  readonly chatgpt_base_url?: string | undefined;
  /** Whether servers are asked to store responses. With `"auto"`, OpenAI is, for requests with an API key. */
  readonly response_storage?: 'auto' | boolean | undefined;
  /** The same as `response_storage = false`, which is the newer name. */
  readonly disable_response_storage?: boolean | undefined;
  /** End of a turn, or a wait, when a server says that the usage limit of the account is reached. `wait` goes on after the reset. */
  readonly on_usage_limit?: 'stop' | 'wait' | undefined;
  /** Name of the program that requests are sent by, as servers see it. */
  readonly originator?: string | undefined;
  /** Header `user-agent` of requests. */
  readonly user_agent?: string | undefined;
  /** Whether calls that a server left in the text of an answer are found and run. `false` turns it off for every provider; `compat.text_calls` does so for one. */
  readonly text_calls?: boolean | undefined;
  /** How long the model thinks, such as `low` or `high`. Sent as it is. */
  readonly model_reasoning_effort?: string | undefined;
  /** Summary of its reasoning that the model is asked for. */
  readonly model_reasoning_summary?: 'auto' | 'concise' | 'detailed' | 'none' | undefined;
  /** Length of answers. */
  readonly model_verbosity?: 'low' | 'medium' | 'high' | undefined;
  /** Class of service that requests ask for, such as `flex`. Sent as it is, except that `fast` is sent as `priority` and `default` is not sent. */
  readonly service_tier?: string | undefined;
  /** File that replaces the instructions of Oxbow, including those for single models. */
  readonly model_instructions_file?: string | undefined;
  /** Your own instructions. They follow those of Oxbow. */
  readonly instructions?: string | undefined;
  /** Text of a developer message of its own. */
  readonly developer_instructions?: string | undefined;
  /** Name of the account whose sign-in is used. `--account NAME` beats it. */
  readonly account?: string | undefined;
  /** Sign-ins. */
  readonly auth?: {
    /** Address of the server at which `oxbow login` signs in. */
    readonly issuer?: string | undefined;
    /** Id under which Oxbow signs in there. It is that of Codex. */
    readonly client_id?: string | undefined;
    /** Ports of this machine that a browser may return to. The first free one is used. */
    readonly callback_ports?: readonly number[] | undefined;
    /** Days after which tokens that do not say when they expire are refreshed. */
    readonly refresh_after_days?: number | undefined;
  };
  /** Place of sign-ins: `auth.json` in the home, or the keyring of the system. With `auto` and `keyring` the file is used where there is no keyring. */
  readonly cli_auth_credentials_store?: 'file' | 'keyring' | 'auto' | undefined;
  /** The only way of signing in that is allowed: with ChatGPT, or with a key. */
  readonly forced_login_method?: 'chatgpt' | 'api' | undefined;
  /** Id of the only ChatGPT workspace that may be signed in to, or a list of ids. */
  readonly forced_chatgpt_workspace_id?: string | readonly string[] | undefined;
  /** Number of bytes of the project's AGENTS.md files that are sent, all together. 0 for none. */
  readonly project_doc_max_bytes?: number | undefined;
  /** Names of files that are read in folders without AGENTS.md, such as `["CONTRIBUTING.md"]`. */
  readonly project_doc_fallback_filenames?: readonly string[] | undefined;
  /** Names that mark the folder where the chain of AGENTS.md files begins. */
  readonly project_root_markers?: readonly string[] | undefined;
  /** When the user is asked, see approvals. A table `granular` is accepted too. `exec` without `--ask` always uses `never`. */
  readonly approval_policy?:
    | 'untrusted'
    | 'on-failure'
    | 'on-request'
    | 'never'
    | { readonly granular: { readonly [question: string]: boolean } }
    | undefined;
  /** Files that commands may write. */
  readonly sandbox_mode?: 'read-only' | 'workspace-write' | 'danger-full-access' | undefined;
  /** Limits of commands with `sandbox_mode = "workspace-write"`. */
  readonly sandbox_workspace_write?: {
    /** Further folders that commands may write. A relative path starts at the working folder. */
    readonly writable_roots?: readonly string[] | undefined;
    /** Whether commands reach the network. */
    readonly network_access?: boolean | undefined;
    /** Whether `/tmp` is not writable. */
    readonly exclude_slash_tmp?: boolean | undefined;
    /** Whether `$TMPDIR` is not writable. */
    readonly exclude_tmpdir_env_var?: boolean | undefined;
    /** Hosts that commands reach although the network is off, such as `*.example.org` (more). */
    readonly allowed_domains?: readonly string[] | undefined;
  };
  /** Files and folders that commands may not even read. With an entry, no command leaves the sandbox. */
  readonly deny_read?: readonly string[] | undefined;
  /** The sandbox on Linux. `auto`: the best that works. If another value is set and does not work, commands are refused. */
  readonly sandbox_backend?: 'auto' | 'bubblewrap' | 'landlock' | undefined;
  /** Unix sockets of commands. `deny`: none at all. `private`: those that commands create themselves. */
  readonly unix_sockets?: 'deny' | 'private' | undefined;
  /** Patches that lose what git cannot restore: ask the user, or allow them. */
  readonly destructive_patches?: 'ask' | 'allow' | undefined;
  /** Rules about commands. */
  readonly rules?: {
    /** Further files of rules. */
    readonly files?: readonly string[] | undefined;
    /** Whether no rules are used at all, as with `exec --ignore-rules`. */
    readonly ignore?: boolean | undefined;
  };
  /** Whether commands get the environment of a login shell. `false`: no profile of your shell is run, and a call that asks for a login shell is refused. */
  readonly allow_login_shell?: boolean | undefined;
  /** Variables that commands get. */
  readonly shell_environment_policy?: {
    /** Variables that commands start with. `core`: only a few. */
    readonly inherit?: 'all' | 'core' | 'none' | undefined;
    /** Whether commands get variables that look like credentials. */
    readonly ignore_default_excludes?: boolean | undefined;
    /** Patterns of variables that commands get although they look like credentials, such as `["PGPASSWORD"]`. */
    readonly keep?: readonly string[] | undefined;
    /** Patterns of variables to leave out. */
    readonly exclude?: readonly string[] | undefined;
    /** Patterns of variables to keep. The others are left out. */
    readonly include_only?: readonly string[] | undefined;
    /** Value of a variable. */
    readonly set?: { readonly [name: string]: string } | undefined;
  };
  /** Tools that the model is offered. */
  readonly tools?: {
    /** Tool that runs commands. `none`: the model can run no commands. */
    readonly command?: 'exec_command' | 'shell' | 'shell_command' | 'local_shell' | 'unified_exec' | 'none' | undefined;
    /** Form of the outputs of `shell`, `shell_command` and `local_shell`. */
    readonly shell_output?: 'json' | 'text' | undefined;
    /** Number of commands that may run at once in all threads of an agent. Each thread has at most 64. */
    readonly max_terminals?: number | undefined;
    /** Whether the tool `update_plan` is on. A call of a tool that is off is refused. */
    readonly update_plan?: boolean | { readonly enabled?: boolean } | undefined;
    /** Form in which the tool `apply_patch` is offered. `true`: the form that suits the model. `false`: the tool is off. */
    readonly apply_patch?: 'freeform' | 'function' | boolean | undefined;
    /** Whether the tool `view_image` is offered. */
    readonly view_image?: boolean | { readonly enabled?: boolean } | undefined;
    /** Search of the web: whether it is on, or its settings. */
    readonly web_search?:
      | boolean
      | {
          /** Whether the web is searched: `true` for `live`. `tools.web_search = true` says the same. */
          readonly enabled?: boolean | undefined;
          /** The same as `web_search`, which beats it. */
          readonly mode?: 'disabled' | 'cached' | 'indexed' | 'live' | undefined;
          /** Program that searches instead of the server, on every wire. The query takes the place of `{query}`. */
          readonly command?: readonly string[] | undefined;
          /** Amount of what it found that the server reads. */
          readonly context_size?: 'low' | 'medium' | 'high' | undefined;
          /** Sites that the server searches. */
          readonly allowed_domains?: readonly string[] | undefined;
          /** Place that results are for. */
          readonly location?: {
            /** Country that results are for, such as `DE`. */
            readonly country?: string | undefined;
            /** Region that results are for. */
            readonly region?: string | undefined;
            /** City that results are for. */
            readonly city?: string | undefined;
            /** Time zone that results are for, such as `Europe/Berlin`. */
            readonly timezone?: string | undefined;
          };
        };
    /** Older name of `tools.web_search.enabled`. */
    readonly web_search_request?: boolean | undefined;
  };
  /** Milliseconds that `write_stdin` waits at most for a running command when it types nothing. */
  readonly background_terminal_max_timeout?: number | undefined;
  /** Older name of `tools.update_plan`. */
  readonly include_plan_tool?: boolean | undefined;
  /** Older name of `tools.apply_patch`. */
  readonly include_apply_patch_tool?: boolean | undefined;
  /** Older name of `tools.view_image`. */
  readonly include_view_image_tool?: boolean | undefined;
  /** Search of the server. `cached`: pages that it has stored. `indexed`: its index of the web. `live`: the web itself. */
  readonly web_search?: 'disabled' | 'cached' | 'indexed' | 'live' | undefined;
  /** Still older name of it. */
  readonly tools_web_search_request?: boolean | undefined;
  /** Number of tokens of one output that the model gets. */
  readonly tool_output_token_limit?: number | undefined;
  /** Milliseconds that the first request of a thread waits for servers that are still starting. */
  readonly mcp_startup_grace_ms?: number | undefined;
  /** Older name of `mcp_startup_grace_ms`. */
  readonly mcp_optional_startup_grace_ms?: number | undefined;
  /** Whether servers may ask for messages of the model. You are asked about each of them. */
  readonly mcp_sampling?: boolean | undefined;
  /** Port of the address that a sign-in returns to. */
  readonly mcp_oauth_callback_port?: number | undefined;
  /** Address that a sign-in returns to, where it is not on this machine. */
  readonly mcp_oauth_callback_url?: string | undefined;
  /** Place of the tokens of sign-ins. All three mean the file `.credentials.json` in the home. */
  readonly mcp_oauth_credentials_store?: 'auto' | 'file' | 'keyring' | undefined;
  /** Number of tokens that the model accepts at once. */
  readonly model_context_window?: number | undefined;
  /** Number of tokens at which a thread is compacted, at most 90 % of the window. */
  readonly model_auto_compact_token_limit?: number | undefined;
  /** Text that asks the model for a summary. */
  readonly compact_prompt?: string | undefined;
  /** File with that text. `compact_prompt` beats it. */
  readonly experimental_compact_prompt_file?: string | undefined;
  /** Whether `exec` prints no reasoning of the model. Events and `--json` have it all the same, as in Codex. */
  readonly hide_agent_reasoning?: boolean | undefined;
  /** Whether reasoning is shown as the model wrote it, besides its summary. */
  readonly show_raw_agent_reasoning?: boolean | undefined;
  /** Program and its first arguments, started at the end of each turn that completed. Its last argument is a JSON object about the turn. */
  readonly notify?: readonly string[] | undefined;
  /** Texts that you sent. */
  readonly history?: {
    /** Texts that you send in the terminal and that are kept in `history.jsonl` of the home: all of them, or none. */
    readonly persistence?: 'save-all' | 'none' | undefined;
    /** Bytes of `history.jsonl`. The oldest texts are dropped when there are more. */
    readonly max_bytes?: number | undefined;
  };
  /** Repairs that can be turned off. */
  readonly repairs?: {
    /** Whether an argv with shell operators among its words runs through a shell. */
    readonly argv_operators?: boolean | undefined;
  };
  /** Entries that are written to the log. */
  readonly log_level?: 'off' | 'error' | 'info' | 'debug' | undefined;
  /** Keys without effect that you know of, such as `["tui", "hooks"]`, with all keys below them. No warning names them, and they stop no run. */
  readonly ignored_keys?: readonly string[] | undefined;
  /** Snapshots of the workspace. */
  readonly snapshots?: {
    /** Whether the workspace is stored before a turn changes it, so that it can be restored. The first change of a turn waits for it. */
    readonly enabled?: boolean | undefined;
    /** Number of files. A workspace with more of them is not stored. */
    readonly max_files?: number | undefined;
    /** Number of bytes in the files to store. A workspace with more of them is not stored. */
    readonly max_bytes?: number | undefined;
    /** Size of a file. Larger files are left out. */
    readonly max_file_bytes?: number | undefined;
    /** Milliseconds that a turn waits for its snapshot. Then it goes on without one. */
    readonly timeout_ms?: number | undefined;
    /** Days after which a snapshot is deleted. */
    readonly keep_days?: number | undefined;
  };
  /** The interactive terminal. */
  readonly tui?: {
    /** Whether the terminal only appends whole lines, for screen readers. `ACCESSIBLE` in the environment does the same. */
    readonly plain?: boolean | undefined;
    /** Wrapping of texts: `words` breaks rows between words, `terminal` leaves it to the terminal. */
    readonly wrap?: 'words' | 'terminal' | undefined;
    /** Name of the theme: `terminal`, `blue`, `contrast`, `colour-blind`, or `own` for `tui.colors`. */
    readonly theme?: string | undefined;
    /** Colours of the theme `own` by meaning, such as `accent = "blue"`: a name, a number of the palette, or `#rrggbb`. */
    readonly colors?: { readonly [name: string]: string } | undefined;
    /** Whether a bell and a notification come when a turn has ended or a question waits while the terminal has no focus. */
    readonly notifications?: boolean | readonly string[] | undefined;
    /** Keys by action, such as `transcript = "ctrl+x"` (the actions). */
    readonly keys?: { readonly [action: string]: string | readonly string[] } | undefined;
  };
  /** Settings of `oxbow gateway`. */
  readonly gateway?: {
    /** Address to listen on. Any address but those of this machine needs a key. */
    readonly host?: string | undefined;
    /** Port to listen on. 0 stands for any free port. */
    readonly port?: number | undefined;
    /** Variables with the keys that clients must show one of. One name is accepted too. */
    readonly key_env?: string | readonly string[] | undefined;
    /** Provider of the models that have no entry. Their names are sent as they are. */
    readonly provider?: string | undefined;
    /** Model for names that only clients know, such as `codex-auto-review` or `claude-haiku-4-5`: an entry of `gateway.models`, or a model of `gateway.provider`. */
    readonly model?: string | undefined;
    /** Whether clients read only the first call of a response. The server is asked for one call at a time, and further ones are left out and reported as `single_call`. An entry of `gateway.models` may have a `single_call` of its own. */
    readonly single_call?: boolean | undefined;
    /** Provider and model behind a name that clients may ask for. In a table without `model` the model has the same name. */
    readonly models?: { readonly [name: string]: RouteSetting } | undefined;
    /** Entry of `gateway.models` that a further name stands for. */
    readonly aliases?: { readonly [name: string]: string } | undefined;
    /** Size of the largest request. */
    readonly max_body_bytes?: number | undefined;
    /** Size of all requests that the servers have not answered yet. Further ones wait up to 30 seconds. */
    readonly max_bodies_bytes?: number | undefined;
    /** Size of what is kept for all clients that are slow to read. Above it, those that waited longest are disconnected. */
    readonly max_answers_bytes?: number | undefined;
    /** Number of exchanges at the same time. */
    readonly max_exchanges?: number | undefined;
    /** Milliseconds from a request to the end of its answer. */
    readonly max_exchange_ms?: number | undefined;
    /** Milliseconds without a byte from the server. A provider's `stream_idle_timeout_ms` may be shorter. */
    readonly idle_timeout_ms?: number | undefined;
    /** Milliseconds for which a response is stored for `previous_response_id`. */
    readonly store_ttl_ms?: number | undefined;
    /** Number of responses that are stored. */
    readonly store_max_entries?: number | undefined;
    /** Bytes of responses that are stored. */
    readonly store_max_bytes?: number | undefined;
  };
  /** Projects by the path of their folder. */
  readonly projects?: {
    readonly [name: string]: {
      /** Whether the settings of a project count, see projects. The name is the path of a folder. The entry of a folder beats that of its project's root. */
      readonly trust_level?: 'trusted' | 'untrusted' | undefined;
    };
  };
  /** MCP servers by their names. */
  readonly mcp_servers?: {
    readonly [name: string]: {
      /** Program of the server, which is started without a shell. */
      readonly command?: string | undefined;
      /** Arguments of the program. */
      readonly args?: readonly string[] | undefined;
      /** Variable that the program gets, such as `env = { LOG = "1" }`. */
      readonly env?: { readonly [name: string]: string } | undefined;
      /** Names of variables of yours that the program gets besides the usual ones. */
      readonly env_vars?: readonly string[] | undefined;
      /** Working folder of the program. */
      readonly cwd?: string | undefined;
      /** Address of a server that is not a program on this machine. */
      readonly url?: string | undefined;
      /** Variable with a bearer token for the server. */
      readonly bearer_token_env_var?: string | undefined;
      /** Header of every request to the server. */
      readonly http_headers?: { readonly [name: string]: string } | undefined;
      /** Variable with the value of a header. */
      readonly env_http_headers?: { readonly [name: string]: string } | undefined;
      /** Scopes to ask for at a sign-in. */
      readonly scopes?: readonly string[] | undefined;
      /** Sign-in at the server. */
      readonly oauth?: {
        /** Id of a client that is registered at the server already. */
        readonly client_id?: string | undefined;
        /** Variable with the secret of that client. */
        readonly client_secret_env_var?: string | undefined;
      };
      /** Resource that a sign-in asks a token for. */
      readonly oauth_resource?: string | undefined;
      /** Whether the server is used. */
      readonly enabled?: boolean | undefined;
      /** Whether no thread starts without the server. */
      readonly required?: boolean | undefined;
      /** Seconds that the server may take to start. */
      readonly startup_timeout_sec?: number | undefined;
      /** The same in milliseconds. `startup_timeout_sec` beats it. */
      readonly startup_timeout_ms?: number | undefined;
      /** Seconds without progress after which a call is cancelled. */
      readonly tool_timeout_sec?: number | undefined;
      /** The only tools of the server that are offered. */
      readonly enabled_tools?: readonly string[] | undefined;
      /** Tools of the server that are not offered. */
      readonly disabled_tools?: readonly string[] | undefined;
      /** Whether all tools of the server may run at the same time as other calls. Otherwise only those may that say that they only read. */
      readonly supports_parallel_tool_calls?: boolean | undefined;
      /** When you are asked about a call. */
      readonly default_tools_approval_mode?: 'auto' | 'prompt' | 'writes' | 'approve' | undefined;
      /** Whether the server may ask for messages of the model. */
      readonly sampling?: boolean | undefined;
      /** Most bytes of the schema of one tool. A larger one loses its descriptions, then its inner parts. */
      readonly tool_input_schema_max_bytes?: number | undefined;
      /** Tools that the model is offered. */
      readonly tools?: {
        readonly [name: string]: {
          /** When you are asked about a call of this tool. Beats `default_tools_approval_mode`. */
          readonly approval_mode?: 'auto' | 'prompt' | 'writes' | 'approve' | undefined;
          /** Tokens of an output of this tool that the model gets. */
          readonly output_token_limit?: number | undefined;
        };
      };
    };
  };
  /** Prices by the name of a model or `PROVIDER/MODEL`, in US dollars for a million tokens. */
  readonly model_prices?: {
    readonly [name: string]: {
      /** Price of the input of a model. The name is that of a model, or `PROVIDER/MODEL`. */
      readonly input?: number | undefined;
      /** Price of input that the server had stored. */
      readonly cached_input?: number | undefined;
      /** Price of input that the server stores for later. */
      readonly cache_write?: number | undefined;
      /** Price of the output. */
      readonly output?: number | undefined;
    };
  };
  /** Facts about models that are not built in, by the name of a model or `PROVIDER/MODEL`. */
  readonly models?: {
    readonly [name: string]: {
      /** Number of tokens that a model accepts at once. The name is that of a model, or `PROVIDER/MODEL`. `model_context_window` beats it. */
      readonly context_window?: number | undefined;
      /** Most tokens of one response, for `oxbow models`. */
      readonly max_output_tokens?: number | undefined;
      /** Kinds of input that the model accepts. Without `image`, no image is sent. */
      readonly input?: readonly ('text' | 'image' | 'audio' | 'video' | 'pdf')[] | undefined;
      /** Values of `model_reasoning_effort` that the model knows, for `oxbow models`. */
      readonly reasoning_efforts?: readonly string[] | undefined;
    };
  };
  /** Providers by their ids. */
  readonly model_providers?: {
    readonly [name: string]: {
      /** Name of the provider, for people. */
      readonly name?: string | undefined;
      /** Address of the server, such as `http://localhost:8000/v1`. */
      readonly base_url?: string | undefined;
      /** Protocol of the server: `responses`, `chat`, `messages` or `ollama`. `auto` finds out. */
      readonly wire_api?: string | undefined;
      /** Variable with the key. Leave it out for servers without a key. The header of the key depends on the wire. */
      readonly env_key?: string | undefined;
      /** Advice for users who have not set that variable. */
      readonly env_key_instructions?: string | undefined;
      /** A token that goes out as `Authorization: Bearer`, whatever the wire. Better use `env_key`. */
      readonly experimental_bearer_token?: string | undefined;
      /** Whether the server gets the key of OpenAI. */
      readonly requires_openai_auth?: boolean | undefined;
      /** Parameter of every URL, such as `query_params = { "api-version" = "2025-04-01" }`. */
      readonly query_params?: { readonly [name: string]: string } | undefined;
      /** Header of every request, such as `http_headers = { "X-Team" = "tools" }`. */
      readonly http_headers?: { readonly [name: string]: string } | undefined;
      /** Variable with the value of a header, such as `env_http_headers = { "X-Trace" = "TRACE_ID" }`. */
      readonly env_http_headers?: { readonly [name: string]: string } | undefined;
      /** File with the certificate that requests show to the server, in PEM form (more). */
      readonly client_certificate?: string | undefined;
      /** File with the key of that certificate, in PEM form. */
      readonly client_key?: string | undefined;
      /** Number of times that a request is repeated after a failed connection or a status of 500 and above. The larger of this setting and `stream_max_retries` limits both together. */
      readonly request_max_retries?: number | undefined;
      /** Number of times that a response that broke off is asked for again. */
      readonly stream_max_retries?: number | undefined;
      /** Milliseconds without a byte after which a request or a response counts as failed. */
      readonly stream_idle_timeout_ms?: number | undefined;
      /** Sign-ins. */
      readonly auth?: {
        /** Program that prints the key of the provider, instead of `env_key`. It runs without a shell, outside the sandbox. */
        readonly command?: string | undefined;
        /** Arguments of the program. */
        readonly args?: readonly string[] | undefined;
        /** Working folder of the program. */
        readonly cwd?: string | undefined;
        /** Milliseconds that the program may take. */
        readonly timeout_ms?: number | undefined;
        /** Milliseconds after which the program runs again. `0`: only when the server refuses the key. */
        readonly refresh_interval_ms?: number | undefined;
      };
      /** Differences between the server and its protocol. */
      readonly compat?: {
        /** Place of the base instructions: the field of that name, or a first developer item. `item` is for servers that ignore or refuse the field (`responses` only). */
        readonly instructions?: 'field' | 'item' | undefined;
        /** Whether the model may make several calls in one response. `false` is for servers that mix them up. */
        readonly parallel_tool_calls?: boolean | undefined;
        /** Reasoning inside the text. `tags`: between think tags at the beginning of an answer. `open`: every answer begins with reasoning, and only the closing tag comes. `text`: think tags are text, for answers about such tags. */
        readonly thinking?: 'tags' | 'open' | 'text' | undefined;
        /** Whether calls that the server left in the text are found and run. `false` is for texts that look like a call and must stay text. */
        readonly text_calls?: boolean | undefined;
        /** Whether the server writes arguments with `&quot;` for `"` and the like. */
        readonly html_entities?: boolean | undefined;
        /** Ids of calls that the server accepts. `nine`: nine letters and digits, for servers that refuse the second request of a turn because of an id. */
        readonly call_ids?: 'any' | 'nine' | undefined;
        /** Earlier reasoning that goes back to the server: that of this turn, all of it or none. `all` is for servers that miss `reasoning_content` in an older message. `none` is for servers that refuse the field; data that the server attached to reasoning or calls stays away too. Over `responses`, `turn` means `all`. */
        readonly send_reasoning?: 'turn' | 'all' | 'none' | undefined;
        /** Form of the outputs of calls. `object`: `content` and `success`, for servers that were made for such objects, which others refuse (`responses` only). */
        readonly tool_output?: 'plain' | 'object' | undefined;
        /** Name of the role of developers. */
        readonly developer_role?: 'developer' | 'system' | undefined;
        /** `one`: a single system message at the beginning. Later ones become texts of the user, with a label. */
        readonly system_messages?: 'any' | 'one' | undefined;
        /** Whether roles must alternate. Messages of one role in a row are merged, and a word of the assistant stands between results of tools and the user. */
        readonly alternate_roles?: boolean | undefined;
        /** Paths of fields that are left out, such as `["store", "messages.*.reasoning_content"]`. */
        readonly drop_fields?: readonly string[] | undefined;
        /** Name of the limit on the tokens of an answer (`chat` only). */
        readonly max_tokens?: 'as_sent' | 'max_tokens' | 'max_completion_tokens' | undefined;
        /** `auto`: no tool is forced. `omit`: the field is left out. */
        readonly tool_choice?: 'any' | 'auto' | 'omit' | undefined;
        /** `strict`: calls stand together, and their results follow right behind them in the same order. */
        readonly tool_order?: 'as_sent' | 'strict' | undefined;
        /** Content of messages that hold calls and no text (`chat` only). */
        readonly empty_content?: 'as_sent' | 'null' | 'empty' | 'omit' | 'space' | undefined;
        /** `user`: images in results follow in a message of the user. With the older name, `false` means `user`. */
        readonly tool_images?: 'as_sent' | 'user' | undefined;
        /** Older name of `model_providers.*.compat.tool_images`. */
        readonly output_images?: boolean | undefined;
        /** Parts of tools' schemas that are rewritten. `plain`: all but basic keywords. `typed_branches`: a type next to branches. `no_patterns`: patterns and formats. */
        readonly schemas?: readonly ('typed_branches' | 'plain' | 'no_patterns')[] | undefined;
        /** `plain`: at most 64 letters, digits, `_` and `-`. Calls get the real names back. */
        readonly tool_names?: 'any' | 'plain' | undefined;
        /** Number of stop words that are sent (`chat` only). */
        readonly max_stops?: number | undefined;
        /** How a request says how much the model thinks (`messages` only). `adaptive`: an effort, with which the model decides itself. `budget`: a number of tokens. `none`: not at all, for servers and models that do not know thinking. */
        readonly thinking_form?: 'as_sent' | 'adaptive' | 'budget' | 'none' | undefined;
        /** Largest limit on the tokens of an answer that the server accepts. Higher limits are lowered to it. */
        readonly max_output_tokens?: number | undefined;
      };
    };
  };
  /** Settings that count when the profile of this name is chosen. */
  readonly profiles?: { readonly [name: string]: Settings };
}
