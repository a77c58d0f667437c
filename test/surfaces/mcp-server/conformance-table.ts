/** A scenario of the referee that a server with our two tools can be tested by. */
interface Applicable {
  /** Number of checks that pass. */
  readonly passed: number;
  /** Checks of the scenario that need something which the server does not have. */
  readonly without?: readonly string[];
}

/** The scenarios that apply, by the revision of the protocol. */
export const APPLICABLE: Readonly<Record<string, Readonly<Record<string, Applicable>>>> = {
  '2025-11-25': {
    'server-initialize': { passed: 3 },
    ping: { passed: 2 },
    'tools-list': { passed: 3 },
    'server-sse-multiple-streams': { passed: 2 },
    'dns-rebinding-protection': { passed: 2 },
    'server-session-lifecycle': { passed: 3 },
  },
  '2026-07-28': {
    'server-stateless': {
      passed: 24,
      without: [
        'sep-2575-server-rejects-undeclared-capability',
        'sep-2575-missing-capability-http-400',
        'sep-2575-http-server-no-independent-requests-on-stream',
        'sep-2575-server-no-log-without-loglevel',
      ],
    },
    'tools-list': { passed: 4 },
    'server-sse-multiple-streams': { passed: 1 },
    'dns-rebinding-protection': { passed: 2 },
    caching: {
      passed: 4,
      without: [
        'sep-2549-prompts-list-caching-hints',
        'sep-2549-resources-list-caching-hints',
        'sep-2549-resources-templates-list-caching-hints',
      ],
    },
    'input-required-result-unsupported-methods': { passed: 2 },
    'http-header-validation': { passed: 14 },
  },
};

/** The scenarios that do not apply, by the reason. A star stands for any text. */
export const NOT_APPLICABLE: Readonly<Record<string, readonly string[]>> = {
  'They call tools of the referee, such as `test_simple_text`, which the server must have.': [
    'tools-call-*',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'json-schema-2020-12',
    'input-required-result-basic-*',
    'input-required-result-request-state',
    'input-required-result-multiple-input-requests',
    'input-required-result-multi-round',
    'input-required-result-missing-input-response',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'input-required-result-capability-check',
    'input-required-result-ignore-extra-params',
    'input-required-result-validate-input',
    'http-custom-header-server-validation',
  ],
  'The server has no resources.': ['resources-*', 'sep-2164-resource-not-found'],
  'The server has no prompts.': ['prompts-*', 'input-required-result-non-tool-request'],
  'The server completes no arguments.': ['completion-complete'],
  'The server sends no log messages.': ['logging-set-level'],
  'The server does not offer the extension of tasks.': ['tasks-*'],
  'A stream that broke cannot be resumed: the turn ends with it.': ['server-sse-polling'],
};

/** Returns the tables of docs/mcp.md. */
export function conformanceText(): string {
  const rows = Object.entries(APPLICABLE).flatMap(([revision, scenarios]) =>
    Object.entries(scenarios).map(([name, { passed, without = [] }]) => {
      const left = without.length === 0 ? '–' : String(without.length);
      return `| ${revision} | ${name} | ${passed} | ${left} |\n`;
    }),
  );
  const others = Object.entries(NOT_APPLICABLE).map(
    ([reason, names]) => `| ${names.map((name) => `\`${name}\``).join(', ')} | ${reason} |\n`,
  );
  return `| revision | scenario | checks passed | checks that need tools of the referee, resources or prompts |
|---|---|--:|--:|
${rows.join('')}
These scenarios do not apply to a server with these two tools:

| scenarios | reason |
|---|---|
${others.join('')}`;
}
