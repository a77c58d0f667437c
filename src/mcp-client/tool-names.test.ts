import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMcpToolNames, type McpToolName } from './tool-names.ts';

const flat = ({ name, namespace }: McpToolName) => (namespace === undefined ? name : `${namespace}__${name}`);

describe('names for the model', () => {
  const one = (server: string, tool: string, servers = [server]) =>
    flat(createMcpToolNames(servers).namesOf(server, [tool]).get(tool) ?? { name: '' });

  test.each([
    ['docs', 'search', 'docs__search'],
    ['my srv', 'struct.ured-tool', 'my_srv__struct_ured-tool'],
  ])('%s and %s', (server, tool, name) => {
    expect(one(server, tool)).toBe(name);
  });

  test('a name of more than 64 characters is cut and has a digest', () => {
    const [server, tool] = ['a-server-with-a-rather-long-name', 'and-a-tool-with-an-even-longer-name'];
    const whole = `${server}__${tool}`;
    const name = one(server, tool);
    expect(name).toBe(whole.slice(0, 24) + createHash('sha1').update(whole).digest('hex'));
    expect(name).toHaveLength(64);
    expect(one(server, tool.slice(0, 64 - server.length - 2))).toHaveLength(64);
    expect(one(server, tool.slice(0, 64 - server.length - 2))).toMatch(/longe?r?$/);
  });

  test('a name that another tool of the thread has is not used twice', () => {
    const names = createMcpToolNames(['a']).namesOf('a', ['b'], (name) => name === 'a__b');
    expect(flat(names.get('b') as McpToolName)).toMatch(/^a__b[0-9a-f]{40}$/);
  });

  test('the longer name of a server wins', () => {
    const servers = ['a', 'a__b'];
    expect(one('a__b', 'c', servers)).toBe('a__b__c');
    expect(one('a', 'b__c', servers)).toMatch(/^a__b__c[0-9a-f]{40}$/);
  });
});

const anyName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 50 }),
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '.', '-', ' '), minLength: 1, maxLength: 8 }),
);
const anyServers = fc.uniqueArray(anyName, { minLength: 1, maxLength: 5 });
const anyTools = fc.uniqueArray(anyName, { minLength: 1, maxLength: 8 });

describe('any servers and tools', () => {
  test('get names that servers of models accept, each another', () => {
    fc.assert(
      fc.property(anyServers, anyTools, (servers, tools) => {
        const names = createMcpToolNames(servers);
        const all = servers.flatMap((server) => [...names.namesOf(server, tools).values()].map(flat));
        for (const name of all) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  test('get the same names in any order, whatever other tools there are of other servers', () => {
    fc.assert(
      fc.property(anyServers, anyTools, (servers, tools) => {
        const name = (order: readonly string[], tool: readonly string[]) =>
          [...createMcpToolNames(order).namesOf(servers[0] ?? '', tool)].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(name([...servers].reverse(), [...tools].reverse())).toEqual(name(servers, tools));
      }),
    );
  });

  test('are found again by every form of their names', () => {
    fc.assert(
      fc.property(anyServers, anyTools, (servers, tools) => {
        const names = createMcpToolNames(servers);
        for (const server of servers) {
          for (const [tool, { name, namespace }] of names.namesOf(server, tools)) {
            if (namespace === undefined) continue;
            const forms = [
              { name: `${namespace}__${name}` },
              { name: `mcp__${namespace}__${name}` },
              { name: `${namespace}.${name}` },
              { name, namespace },
              { name, namespace: `mcp__${namespace}` },
              { name, namespace: `mcp__${namespace}__` },
              { name: `${namespace}__${name}`, namespace: 'functions' },
              { name: `${server}__${tool}` },
            ];
            for (const form of forms) {
              const meant = names.meaningsOf(form);
              expect(meant.some((one) => one.server === server && (one.tool === name || one.tool === tool))).toBe(true);
            }
          }
        }
      }),
    );
  });
});
