/**
 * Keys that Codex reads, or read once, and that have no effect here, by the advice about them. `*` stands for a name
 * that the user chooses. Tables among them are not looked into. docs/configuration.md is written from this table.
 */
export const CODEX_KEYS: Readonly<Record<string, readonly string[]>> = {
  'Hooks do not run yet. Programs that embed Oxbow have hooks of their own.': ['hooks'],
  'Say the same with `sandbox_mode`, `sandbox_workspace_write` and `deny_read`.': [
    'default_permissions',
    'permissions',
  ],
  'Only you approve commands: set `approval_policy`.': ['approvals_reviewer', 'auto_review'],
  'Requests have no such field. Remove it.': [
    ...['model_max_output_tokens', 'responses_api_metadata'],
    ...['responses_originator_header_internal_override'],
  ],
  'Facts about models are built in; set `model_context_window` and `model_reasoning_summary`.': [
    ...['model_catalog_json', 'model_supports_reasoning_summaries', 'model_reasoning_summary_format'],
    ...['model_providers.*.model_catalog_url', 'model_providers.*.capabilities'],
  ],
  'Set `model_auto_compact_token_limit`, which counts the whole history.': ['model_auto_compact_token_limit_scope'],
  'There is no plan mode. Set `model_reasoning_effort`.': ['plan_mode_reasoning_effort'],
  'Say it in `instructions`.': ['personality', 'model_personality'],
  'Use `model_instructions_file`.': ['experimental_instructions_file'],
  'Set the key of the provider with `env_key`.': [
    ...['model_providers.*.aws', 'model_providers.*.gateway_oauth'],
    ...['model_providers.*.project_id', 'model_providers.*.credential_file'],
  ],
  'Requests go over HTTP only. Remove it.': [
    ...['model_providers.*.websocket_connect_timeout_ms', 'model_providers.*.supports_websockets'],
  ],
  'Set `web_search`.': ['model_providers.*.supports_standalone_web_search', 'tools_web_search'],
  'Set variables with `shell_environment_policy.set`.': ['shell_environment_policy.experimental_use_profile'],
  'There are no settings for Windows. Remove it.': ['windows', 'windows_wsl_setup_acknowledged'],
  'The text is always sent where it applies. Replace the instructions with `model_instructions_file`.': [
    ...['include_permissions_instructions', 'include_apps_instructions', 'include_collaboration_mode_instructions'],
    ...['include_environment_context'],
  ],
  'There is no such tool yet. Remove it.': [
    ...['tools.experimental_request_user_input', 'tool_suggest', 'browser_use', 'computer_use', 'code_mode'],
  ],
  'Set `tools.view_image`.': ['tools_view_image'],
  'Set `tools.command` and `tools.apply_patch`.': [
    ...['experimental_use_unified_exec_tool', 'experimental_use_exec_command_tool'],
    ...['experimental_use_freeform_apply_patch'],
  ],
  'MCP servers always start in the background, and their tools are always listed. Remove it.': [
    ...['mcp_servers.*.startup_readiness', 'mcp_servers.*.omit_tools_from', 'experimental_use_rmcp_client'],
  ],
  'MCP servers run on this machine. Remove it.': ['mcp_servers.*.environment_id'],
  'Set `bearer_token_env_var` or `env_http_headers`, or sign in.': [
    ...['mcp_servers.*.http_headers_helper', 'mcp_servers.*.auth'],
  ],
  'There are no apps. Remove it.': ['apps', 'apps_mcp_product_sku'],
  'There are no agents below an agent, skills, plugins, memories or goals yet. Put what matters into AGENTS.md.': [
    ...['agents', 'orchestrator', 'skills', 'plugins', 'marketplaces', 'memories', 'goals'],
  ],
  'This feature is not there, or cannot be switched off. Remove it.': ['features.*'],
  'There is no sign-in with an account. Set the variable with the key of the provider.': ['cloud'],
  'Set `forced_login_method`.': ['preferred_auth_method'],
  'This is about the screens of Codex. Leave it for Codex; docs/terminal.md has the settings of ours.': [
    ...['tui.*', 'notice', 'file_opener', 'disable_paste_burst', 'audio', 'realtime', 'desktop'],
    ...['experimental_realtime_start_instructions', 'experimental_realtime_ws_backend_prompt'],
    ...['experimental_realtime_ws_base_url', 'experimental_realtime_ws_model'],
    ...['experimental_realtime_ws_startup_context', 'experimental_realtime_webrtc_call_base_url'],
  ],
  'All files are in the home: set `OXBOW_HOME`.': ['log_dir', 'sqlite_home'],
  'Set `snapshots.enabled`.': ['ghost_snapshot'],
  'Use `exec resume`.': ['experimental_resume'],
  'Oxbow never looks for updates and sends no reports. Leave it for Codex.': [
    ...['check_for_update_on_startup', 'analytics', 'feedback', 'suppress_unstable_features_warning'],
  ],
  'Nothing is sent to collectors. The log has a line for each request.': ['otel'],
  'This is for developers of Codex. Remove it.': [
    ...['debug', 'experimental_thread_config_endpoint', 'experimental_thread_store'],
    ...['experimental_thread_store_endpoint'],
  ],
};

/**
 * Keys that only matter to the screens and reports of Codex. Most of its homes have some, so a warning in every run would
 * be noise: `oxbow config` and `oxbow doctor` name them.
 */
export const SCREEN_KEYS: ReadonlySet<string> = new Set([
  ...['tui.*', 'notice', 'file_opener', 'disable_paste_burst', 'audio', 'realtime', 'desktop'],
  ...['experimental_realtime_start_instructions', 'experimental_realtime_ws_backend_prompt'],
  ...['experimental_realtime_ws_base_url', 'experimental_realtime_ws_model'],
  ...['experimental_realtime_ws_startup_context', 'experimental_realtime_webrtc_call_base_url'],
  ...['check_for_update_on_startup', 'analytics', 'feedback', 'suppress_unstable_features_warning'],
]);

/**
 * Features of Codex that are always there. Only switching one of them off has no effect; of all other features, only
 * switching one on.
 */
export const PRESENT_FEATURES: ReadonlySet<string> = new Set([
  ...['apply_patch_freeform', 'shell_snapshot', 'shell_tool', 'steer', 'unified_exec', 'unified_exec_tty'],
  ...['view_image', 'worktrees'],
]);

/** Features that switch hooks, under their newer and older name. */
export const HOOK_SWITCHES: readonly string[] = ['hooks', 'codex_hooks'];

/** Keys that guard something: a run without them could do what they forbid. */
export const GUARDING_KEYS: ReadonlySet<string> = new Set(['hooks', 'default_permissions', 'permissions']);
