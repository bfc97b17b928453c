import { expect, test } from 'vitest';
import { parseSiteHost, siteHost, siteUrl } from '../../server/lib/site-names.ts';
import { readSources } from '../support/source-tree.ts';

const DOMAIN = 'sites.example';

test.each([
  [{ slug: 'harbour', release: null }, 'harbour.sites.example'],
  [{ slug: 'harbour', release: 12 }, 'r12--harbour.sites.example'],
  [{ slug: 'r12-harbour', release: null }, 'r12-harbour.sites.example'],
])('%j is written as %s and read again', (name, host) => {
  expect(siteHost(DOMAIN, name)).toBe(host);
  expect(parseSiteHost(DOMAIN, host)).toEqual(name);
});

test.each([
  'sites.example',
  'xsites.example',
  '.sites.example',
  'a.b.sites.example',
  'r0--a.sites.example',
  'a.example',
])('%s is no name of a site', (host) => {
  expect(parseSiteHost(DOMAIN, host)).toBeNull();
});

test.each([
  ['http://{slug}.sites.example:3001', 'http://a.example:3001'],
  ['https://{slug}.sites.example', 'https://a.example'],
  ['https://{slug}.sites.example:8443', 'https://a.example:8443'],
])('with sites at %s another name of the host is opened at %s', (sitesUrl, url) => {
  expect(siteUrl({ sitesUrl }, 'a.example')).toBe(url);
});

test('names and addresses of sites are put together in one place', () => {
  const written = /[^`]\.\$\{[^}]*sites?_?domain\}|--\$\{|:\$\{[^}]*sites_?port\}/i;
  const found = [...readSources(['server', 'routers', 'src'])].filter(([, text]) => written.test(text));
  expect(found.map(([path]) => path)).toEqual(['server/lib/site-names.ts']);
});
