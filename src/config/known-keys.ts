/**
 * Every setting that is read, in the order in which `oxbow config` lists them. `*` stands for a name that the user
 * chooses.
 */
export const SETTINGS = [
  'profile',
  'model',
  'model_provider',
  'openai_base_url',
  'model_reasoning_effort',
  'model_reasoning_summary',
  'model_verbosity',
  'model_instructions_file',
  'instructions',
  'developer_instructions',
  'approval_policy',
  'sandbox_mode',
  'sandbox_workspace_write.writable_roots',
  'sandbox_workspace_write.network_access',
  'sandbox_workspace_write.exclude_slash_tmp',
  'sandbox_workspace_write.exclude_tmpdir_env_var',
  'shell_environment_policy.inherit',
  'shell_environment_policy.ignore_default_excludes',
  'shell_environment_policy.exclude',
  'shell_environment_policy.include_only',
  'shell_environment_policy.set.*',
  'tools.command',
  'tools.update_plan',
  'include_plan_tool',
  'tool_output_token_limit',
  'show_raw_agent_reasoning',
  'repairs.argv_operators',
  'log_level',
  'projects.*.trust_level',
  'model_providers.*.name',
  'model_providers.*.base_url',
  'model_providers.*.wire_api',
  'model_providers.*.env_key',
  'model_providers.*.env_key_instructions',
  'model_providers.*.experimental_bearer_token',
  'model_providers.*.requires_openai_auth',
  'model_providers.*.query_params.*',
  'model_providers.*.http_headers.*',
  'model_providers.*.env_http_headers.*',
  'model_providers.*.request_max_retries',
  'model_providers.*.stream_max_retries',
  'model_providers.*.stream_idle_timeout_ms',
  'model_providers.*.compat.instructions',
  'model_providers.*.compat.parallel_tool_calls',
  'model_providers.*.compat.thinking',
  'model_providers.*.compat.text_calls',
  'model_providers.*.compat.html_entities',
  'model_providers.*.compat.call_ids',
  'model_providers.*.compat.send_reasoning',
] as const;

export type Setting = (typeof SETTINGS)[number];

/**
 * What Codex reads, or read once, and we do not. A home that was made for Codex is no mistake, so nothing is said about
 * these; tables among them are not looked into.
 */
export const CODEX_KEYS: readonly string[] = [
  // Models
  ...['review_model', 'model_context_window', 'model_auto_compact_token_limit', 'model_auto_compact_token_limit_scope'],
  ...['model_max_output_tokens', 'model_catalog_json', 'model_supports_reasoning_summaries', 'service_tier'],
  ...['model_reasoning_summary_format', 'plan_mode_reasoning_effort', 'personality', 'model_personality'],
  ...['oss_provider', 'chatgpt_base_url', 'disable_response_storage', 'experimental_instructions_file'],
  ...['model_providers.*.auth', 'model_providers.*.aws', 'model_providers.*.websocket_connect_timeout_ms'],
  ...['model_providers.*.supports_websockets', 'model_providers.*.supports_standalone_web_search'],
  ...['model_providers.*.model_catalog_url', 'model_providers.*.gateway_oauth', 'model_providers.*.capabilities'],
  ...['model_providers.*.project_id', 'model_providers.*.credential_file'],
  // Permissions
  ...['approvals_reviewer', 'auto_review', 'default_permissions', 'permissions', 'allow_login_shell', 'windows'],
  ...['shell_environment_policy.experimental_use_profile', 'windows_wsl_setup_acknowledged', 'hooks'],
  // What the model is told and offered
  ...['include_permissions_instructions', 'include_apps_instructions', 'include_collaboration_mode_instructions'],
  ...['include_environment_context', 'include_apply_patch_tool', 'include_view_image_tool', 'compact_prompt'],
  ...['experimental_compact_prompt_file', 'project_doc_max_bytes', 'project_doc_fallback_filenames'],
  ...['project_root_markers', 'web_search', 'tools.web_search', 'tools.web_search_request', 'tools.view_image'],
  ...['tools.experimental_request_user_input', 'tools_web_search', 'tools_web_search_request', 'tools_view_image'],
  ...['tool_suggest', 'background_terminal_max_timeout', 'experimental_use_unified_exec_tool'],
  ...['experimental_use_exec_command_tool', 'experimental_use_freeform_apply_patch', 'experimental_use_rmcp_client'],
  ...['mcp_servers', 'mcp_oauth_callback_port', 'mcp_oauth_callback_url', 'mcp_oauth_credentials_store'],
  ...['mcp_optional_startup_grace_ms', 'apps', 'apps_mcp_product_sku', 'agents', 'skills', 'plugins', 'marketplaces'],
  ...['memories', 'goals', 'browser_use', 'computer_use', 'code_mode', 'features', 'profiles'],
  ...['suppress_unstable_features_warning'],
  // Sign-in
  ...['cli_auth_credentials_store', 'forced_login_method', 'forced_chatgpt_workspace_id', 'preferred_auth_method'],
  // Screen, records, reports
  ...['tui', 'notice', 'notify', 'file_opener', 'hide_agent_reasoning', 'disable_paste_burst', 'audio', 'realtime'],
  ...['history', 'log_dir', 'sqlite_home', 'ghost_snapshot', 'check_for_update_on_startup', 'desktop', 'debug'],
  ...['analytics', 'feedback', 'otel', 'responses_originator_header_internal_override', 'experimental_resume'],
  ...['experimental_realtime_start_instructions', 'experimental_realtime_ws_backend_prompt'],
  ...['experimental_realtime_ws_base_url', 'experimental_realtime_ws_model'],
  ...['experimental_realtime_ws_startup_context', 'experimental_thread_config_endpoint', 'experimental_thread_store'],
];
