import { expect, test } from 'vitest';
import { domainFault } from '../../server/lib/site-domain.ts';

test.each(['example.com', 'xn--mller-kva.de', 'shop.co.uk', 'me.github.io', 'a.test', 'nas.home.lan', 'crm.internal'])(
  'an account can have %s',
  (name) => {
    expect(domainFault(name, { sitesDomain: 'localhost', publicHost: 'localhost' })).toBeNull();
  },
);

test('a name without an ending that exists is not finished, unless the operator uses the ending', () => {
  const fault = (sitesDomain: string) =>
    domainFault('www.cafe-linde', { sitesDomain, publicHost: 'app.cafe-haus.example' });
  expect(fault('localhost')).toBe(
    'www.cafe-linde has no ending such as .com or .de. Type the whole name, like example.com.',
  );
  expect(fault('sites.cafe-linde')).toBeNull();
});
