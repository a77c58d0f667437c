import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { findDanger } from './find-danger.ts';
import { quoteArgv } from './quote.ts';

const bash = (script: string) => findDanger(['bash', '-lc', script]);
const RM = 'rm -f deletes without asking';

describe('rm -f is found', () => {
  test.each([
    ...[
      'rm -f a',
      'rm -rf a',
      'rm -r -f a',
      'rm a -fr',
      'rm --force a',
      'rm --fo a',
      'rm -vRf a',
      '/bin/rm -f a',
      '\\rm -f a',
      '"rm" "-f" a',
      "r'm' -rf a",
    ],
    ...[
      'A=b rm -f a',
      'rm -f "$x"',
      'rm -{r,f} a',
      'rm -rf"$x"',
      'ls; rm -f a',
      'ls && rm -f a',
      'ls | rm -f a',
      'ls & rm -f a',
      'ls\nrm -f a',
      'rm -f a > b',
    ],
    ...[
      'sudo rm -f a',
      'sudo -u root rm -f a',
      'sudo --user root -n rm -rf a',
      'doas rm -f a',
      'env A=b rm -f a',
      'env -u A rm -f a',
      "env -S 'rm -f a'",
    ],
    ...[
      'nice -n 5 rm -f a',
      'timeout -s KILL 5 rm -f a',
      'time rm -f a',
      'nohup rm -f a &',
      'xargs rm -f',
      'xargs -0 -n 1 rm -rf',
      'command rm -f a',
      'exec rm -f a',
    ],
    ...[
      'busybox rm -rf a',
      'sudo env nice timeout 5 rm -f a',
      "sudo sh -c 'rm -f a'",
      'find . -exec rm -f {} +',
      "find . -exec sh -c 'rm -f x' \\;",
      'find . -exec sudo rm -f {} +',
    ],
    ...[
      "sh -c 'rm -f a'",
      'bash -c \'bash -c "rm -f a"\'',
      "bash -euxo pipefail -c 'rm -f a'",
      'eval "rm -f a"',
      'eval rm -f a',
      "trap 'rm -rf a' EXIT",
      "su -c 'rm -f a' me",
    ],
    ...[
      'echo $(rm -f a)',
      'echo "`rm -f a`"',
      'cat <(rm -f a)',
      'A=$(rm -f a)',
      `echo \${x:-$(rm -f a)}`,
      'echo $(( $(rm -f a) ))',
      'cat <<E\n$(rm -f a)\nE',
    ],
    ...[
      'if true; then rm -f a; fi',
      'for x in a; do rm -f $x; done',
      'while rm -f a; do :; done',
      'case a in a) rm -f a;; esac',
      '(rm -f a)',
      '{ rm -f a; }',
      '! rm -f a',
    ],
    ...[
      'f() { rm -f a; }',
      '[[ -n $(rm -f a) ]]',
      'bash <<E\nrm -f a\nE',
      "sh <<< 'rm -f a'",
      "echo 'rm -f a' | sh",
      "echo 'rm -f a' | sudo bash -s",
      "alias x='rm -f a'",
    ],
    ...['coproc rm -f a', 'rm -f a; )', "echo 'open; rm -f a", 'foreach x (a b) rm -f $x; end', 'ls |; rm -f a'],
  ])('in %j', (script) => {
    expect(bash(script)).toBe(RM);
  });

  test('in an argv, also behind wrappers', () => {
    expect(findDanger(['rm', '-f', 'a'])).toBe(RM);
    expect(findDanger(['sudo', '/bin/rm', '-rf', 'a'])).toBe(RM);
    expect(findDanger(['env', 'A=b', 'bash', '-c', 'rm -f a'])).toBe(RM);
  });
});

describe('further dangers', () => {
  test.each([
    ['mkfs.ext4 /dev/sda1', 'mkfs.ext4 erases what is on a disk'],
    ['wipefs -a /dev/sda', 'wipefs erases what is on a disk'],
    ['dd if=/dev/zero of=/dev/sda bs=1M', 'dd writes straight to a device'],
    ['cat image > /dev/nvme0n1', 'the output goes straight to a disk'],
    ['sudo chmod -R 777 /', 'chmod -R changes a folder of the system or your home'],
    ['chown -R me: ~', 'chown -R changes a folder of the system or your home'],
    ['rm -r /', 'rm -r deletes a folder of the system or your home'],
    ['rm -r "$HOME"', 'rm -r deletes a folder of the system or your home'],
    ['rm -r /usr/*', 'rm -r deletes a folder of the system or your home'],
    ['shred a', 'shred destroys files for good'],
    ['sudo reboot', 'reboot stops the machine'],
    [':(){ :|:& };:', 'a function that starts copies of itself fills the machine'],
    ['bomb() { bomb & bomb; }; bomb', 'a function that starts copies of itself fills the machine'],
  ])('%j', (script, reason) => {
    expect(bash(script)).toBe(reason);
  });
});

describe('not dangerous', () => {
  test.each([
    ...[
      'rm a',
      'rm -r build',
      'rm -- -f',
      'rm -i a',
      'rm --interactive a',
      'git rm -f a',
      'echo rm -f a',
      'echo "rm -rf /"',
      "grep -n 'rm -rf' a",
      'ls # rm -f a',
    ],
    ...[
      'cat rm -f',
      'npm install --force',
      'cp -f a b',
      'sudo rm a',
      'xargs rm',
      'find . -name rm -print',
      'find . -delete',
      "bash -c 'rm a'",
      'bash rm -f',
      'trap - EXIT',
    ],
    ...[
      'cat > a <<E\nrm -f b\nE',
      'git commit -m "rm -rf everything"',
      "printf 'rm -f a' > b",
      'f() { rm a; }',
      'f() { f; }',
      'dd if=a of=b',
      'dd of=/dev/null',
      'ls > /dev/null',
    ],
    ...[
      'chmod -R u+w build',
      'chmod 644 /etc',
      'chown -R me /home/me/project',
      'rm -r /tmp/a',
      'git reset --soft HEAD~1',
      'git clean -nfd',
      'git push --force-with-lease',
    ],
    ...[
      'git checkout -f',
      'echo time watch command exec script su env nice sudo timeout',
      'cat < /dev/sda',
      '',
      '# rm -f',
    ],
  ])('%j', (script) => {
    expect(bash(script)).toBeUndefined();
  });

  test('no command at all', () => {
    expect(findDanger([])).toBeUndefined();
  });
});

describe('commands that are nested too deeply', () => {
  const TOO_DEEP = 'the command is nested too deeply to be judged';

  test('shells in shells', () => {
    const nest = (times: number) =>
      Array.from({ length: times }).reduce<readonly string[]>((argv) => ['sh', '-c', quoteArgv(argv)], ['ls']);
    expect(findDanger(nest(8))).toBeUndefined();
    expect(findDanger(nest(9))).toBe(TOO_DEEP);
  });

  test('wrappers of wrappers and substitutions in substitutions', () => {
    expect(bash(`${'sudo '.repeat(7)}ls`)).toBeUndefined();
    expect(bash(`${'sudo '.repeat(8)}ls`)).toBe(TOO_DEEP);
    expect(bash(`${'echo $('.repeat(9)}ls${')'.repeat(9)}`)).toBe(TOO_DEEP);
    expect(bash(`${'echo $('.repeat(3000)}ls${')'.repeat(3000)}`)).toBe(TOO_DEEP);
  });

  test('deep expressions do not overflow the stack', () => {
    expect(bash(`echo $((${'1+'.repeat(20_000)}1)); ls`)).toBeUndefined();
    expect(bash(`${'{ '.repeat(5000)}rm -f a`)).toBe(RM);
  });
});

test('no script makes it throw', () => {
  const pieces = `' " \\ $ ( ) { } [ ] < > | & ; # * ! ~ = \` \n rm -f a $( $(( <<E \${ [[ if f() sudo sh -c`.split(
    ' ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces, ' '), fc.string()), { maxLength: 30 }), (parts) => {
      bash(parts.join(''));
    }),
    { numRuns: runs(2000) },
  );
});
