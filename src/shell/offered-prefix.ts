import { launcherKind } from './launchers.ts';
import { systemProgram } from './program-name.ts';

/** Programs whose further words are data for them. */
const PLAIN =
  `ls cat head tail wc grep egrep fgrep rg cut tr nl diff cmp comm stat file du df which whereis pwd echo printf date basename
  dirname realpath readlink jq touch mkdir id whoami uname uptime free ps pgrep sleep true false test md5sum sha1sum sha256sum
  cksum pytest jest vitest mocha ava tsc eslint prettier biome oxlint stylelint ruff black isort mypy pyright flake8 pylint
  bandit rustfmt gofmt goimports golangci-lint staticcheck clang-format clang-tidy cppcheck shellcheck shfmt hadolint yamllint
  markdownlint rubocop rspec phpunit phpstan ktlint swiftlint swiftformat ctest unittest`.split(/\s+/);

/** Programs with the subcommands that do not run the words after them. */
const SUBCOMMANDS: Readonly<Record<string, string>> = {
  git: `status log diff show add commit push pull fetch checkout switch branch merge stash tag restore rm mv reset revert
    cherry-pick rev-parse ls-files ls-remote blame describe init`,
  gh: 'pr issue run release status',
  npm: 'test t start install i ci add update uninstall audit outdated ls list view info pack version publish',
  pnpm: 'test install i add update remove build lint start audit outdated list',
  yarn: 'test install add upgrade remove build lint start audit outdated list',
  bun: 'test install add update remove',
  deno: 'test fmt lint check',
  cargo: 'build check test clippy fmt doc bench clean update add remove tree metadata fetch',
  go: 'build test vet fmt mod get install list',
  uv: 'sync lock add remove',
  poetry: 'install update add remove lock check',
  bundle: 'install update check',
  pip: 'install list show freeze check',
  pip3: 'install list show freeze check',
  mvn: 'test compile package verify install clean',
  gradle: 'test build check assemble clean',
  dotnet: 'build test restore clean',
  swift: 'build test',
  mix: 'test compile format',
  docker: 'ps images logs inspect pull version info',
  podman: 'ps images logs inspect pull version info',
  kubectl: 'get describe logs version',
  terraform: 'plan validate fmt',
};

/** Programs, and subcommands, whose next word names a task of the project. */
const TASKS = new Set(['make', 'just', 'rake', 'npm run', 'pnpm run', 'yarn run', 'bun run']);

/** Subcommands that run the command after them, with the programs of the project. */
const RUNNERS = new Set(['uv run', 'poetry run', 'pipenv run', 'bundle exec', 'pnpm exec', 'yarn exec']);

const OFFERED: ReadonlySet<string> = new Set([
  ...PLAIN,
  ...Object.entries(SUBCOMMANDS).flatMap(([name, words]) => words.split(/\s+/).map((word) => `${name} ${word}`)),
]);

/**
 * Reports whether a lasting rule for this prefix may be offered: a reader of its words must know what it allows. Only
 * words of a list are, since no list of the programs that can start others is ever complete.
 */
export function isOfferedPrefix([program = '', ...words]: readonly string[]): boolean {
  const name = systemProgram(program);
  const [first = ''] = words;
  if (name === undefined) return false;
  if (launcherKind(name) === 'plain') return isOfferedPrefix(commandAfter(words));
  // `python3 -m pytest` is `pytest`.
  if (/^python[\d.]*$/.test(name) && first === '-m') return isOfferedPrefix(words.slice(1));
  const start = `${name} ${first}`;
  if (RUNNERS.has(start)) return isOfferedPrefix(words.slice(1));
  if (TASKS.has(name)) return isName(words[0]);
  if (TASKS.has(start)) return isName(words[1]);
  return OFFERED.has(name) || OFFERED.has(start);
}

function isName(word = '-'): boolean {
  return /^\w[\w:./-]*$/.test(word);
}

/**
 * Returns the command after assignments and times. None after an option, whose value cannot be distinguished from the
 * command.
 */
function commandAfter(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => !/^(?:\w+=.*|[\d.]+[smhd]?)$/s.test(word));
  return at === -1 || words[at]?.startsWith('-') ? [] : words.slice(at);
}
