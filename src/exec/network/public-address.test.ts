import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPublicAddress, unwrapAddress } from './public-address.ts';

test.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '64:ff9b::808:808'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.255',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
  '2002:7f00:1::1',
  'example.org',
  '',
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

test('an IPv4 address is judged alike when it is wrapped in an IPv6 one', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(unwrapAddress(`::ffff:${address}`)).toBe(address);
      expect(unwrapAddress(`64:ff9b::${address}`)).toBe(address);
      expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
      expect(isPublicAddress(`64:ff9b::${address}`)).toBe(isPublicAddress(address));
    }),
  );
});
