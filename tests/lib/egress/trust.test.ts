import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { trusting } from '../../../server/lib/egress/trust.ts';

test('roots are parsed once for all connections that trust them, and anew for others or another version', () => {
  const [own = '', other = ''] = rootCertificates;
  const roots = [own];
  const first = trusting(roots);
  expect(trusting(roots)).toBe(first);
  const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' } as const;
  const others = [trusting(roots, [other]), trusting(roots, [], old), trusting([other])];
  expect(new Set([first, ...others]).size).toBe(4);
  expect(trusting(roots, [other])).toBe(others[0]);
});
