/**
 * Keys that Codex reads, or read once, and Oxbow does not. A home that was made for Codex is not a mistake, so these
 * keys cause no warning. Tables among them are not looked into.
 */
export const CODEX_KEYS: readonly string[] = [
  // Models
  ...['review_model', 'model_auto_compact_token_limit_scope'],
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
  // Prompt and tools
  ...['include_permissions_instructions', 'include_apps_instructions', 'include_collaboration_mode_instructions'],
  ...['include_environment_context'],
  ...['tools.experimental_request_user_input'],
  ...['tools_web_search', 'tools_view_image', 'tool_suggest', 'experimental_use_unified_exec_tool'],
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
