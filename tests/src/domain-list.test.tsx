import { expect, onTestFinished, test, vi } from 'vitest';
import { DomainsFact } from '../../src/features/domains/domains-fact.tsx';
import { DeploymentScreen } from '../../src/screens/deployment.tsx';
import { DomainsScreen } from '../../src/screens/domains.tsx';
import { domainAnswers } from '../support/domain-answers.ts';
import { domainOf, recordOf } from '../support/domain-fixtures.ts';
import { refusal, showScreen } from '../support/screen.tsx';
import { deploymentOf } from '../support/screen-fixtures.ts';

test('domains are listed with their state, and one can be added', async () => {
  using shown = showScreen(<DomainsScreen />, domainAnswers(domainOf()));
  await shown.sees('harbour · with www');
  expect(shown.page.textContent).toContain('Waiting for DNS');
  expect(shown.button('Add a domain')).toBeDefined();
});

test('a name that is not set is said in the row of its domain, once the domain works', async () => {
  const records = [recordOf({ state: 'ok' }), recordOf({ name: 'www.shop.example', type: 'CNAME' })];
  using shown = showScreen(<DomainsScreen />, domainAnswers(domainOf({ state: 'active', records })));
  await shown.sees('www not set up yet');
});

test('a domain beyond the cap of the plan is marked in the line that every width shows', async () => {
  using shown = showScreen(<DomainsScreen />, domainAnswers(domainOf({ isOverCap: true })));
  await shown.sees('Read-only · harbour');
});

test('the tab of a deployment lists its domains alone, and adds one to it without asking to which', async () => {
  const domain = domainOf();
  const listed = vi.fn(() => ({ items: [domain], nextCursor: null }));
  const answers = {
    ...domainAnswers(domain),
    'domains.list': listed,
    'deployments.get': () => deploymentOf({ id: domain.deploymentId }),
    'releases.list': () => ({ items: [], rollBacks: [], nextCursor: null }),
  };
  const path = `/deployments/${domain.deploymentId}?tab=domains`;
  using shown = showScreen(<DeploymentScreen />, answers, { pattern: '/deployments/:deploymentId', path });
  await shown.sees('with www');
  expect(listed.mock.calls.map(([input]: unknown[]) => input)).toEqual([
    expect.objectContaining({ deploymentId: domain.deploymentId }),
  ]);
  expect(shown.page.querySelector('[role=tab][aria-selected=true]')?.textContent).toBe('Domains');
  expect(shown.page.querySelector(`a[href="/domains/${domain.id}"]`)?.textContent).toContain('shop');
  shown.button('Add a domain').click();
  await vi.waitFor(() => expect(document.querySelector('[role=dialog] input[name=name]')).not.toBeNull(), 10_000);
  expect(document.querySelector('[role=dialog] [name=deploymentId]')).toBeNull();
});

test('the overview of a deployment names its domains with the state that their list shows', async () => {
  const domain = domainOf({ state: 'misconfigured' });
  const answers = { ...domainAnswers(domain), 'deployments.get': () => deploymentOf({ id: domain.deploymentId }) };
  const place = { pattern: '/deployments/:deploymentId', path: `/deployments/${domain.deploymentId}` };
  using shown = showScreen(<DeploymentScreen />, answers, place);
  await shown.sees('Needs attention');
  expect(shown.page.querySelector(`a[href="/domains/${domain.id}"]`)?.textContent).toContain('shop');
});

test.each([
  [
    'a few',
    { items: ['a', 'b', 'c'].map((id) => domainOf({ id, name: `${id}.example` })), nextCursor: 'd' },
    /^a.*b.*c.*See all$/,
  ],
  ['none', { items: [], nextCursor: null }, /^None yet$/],
  ['a refusal', refusal('internal', 'The server failed.'), /^Could not be loaded.*Retry$/],
])('the overview of a deployment names its domains: %s', async (_, answer, text) => {
  using shown = showScreen(<DomainsFact deploymentId="harbour" />, { 'domains.list': () => answer });
  await vi.waitFor(() => expect(shown.page.textContent).toMatch(text));
});

test('a link leads to adding a domain directly, and once', async () => {
  const place = { pattern: '/domains', path: '/domains?add=1' };
  using _shown = showScreen(<DomainsScreen />, domainAnswers(domainOf()), place);
  const dialog = () => document.querySelector('[role=dialog]');
  await vi.waitFor(() => expect(dialog()?.textContent).toContain('Add a domain'), 10_000);
  [...(dialog()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === 'Cancel')?.click();
  await vi.waitFor(() => expect(dialog()).toBeNull());
  expect(location.search).toBe('');
});

test.each([
  ['{slug}.localhost:3001', 'built-in', true],
  ['{slug}.localhost:3001', 'netlify', false],
  ['{slug}.sites.example', 'built-in', false],
] as const)(
  'before a domain is added for a site at %s on %s, it is said whether others reach it',
  async (pattern, platform, isSaid) => {
    const meta = document.createElement('meta');
    meta.name = 'fairlead-sites-host';
    meta.content = pattern;
    document.head.append(meta);
    onTestFinished(() => meta.remove());
    using shown = showScreen(<DomainsScreen />, {
      ...domainAnswers(domainOf()),
      'domains.list': () => ({ items: [], nextCursor: null }),
      'deployments.list': () => ({ items: [deploymentOf({ platform })], nextCursor: null }),
    });
    await shown.sees('No domains yet.');
    const said = 'This Fairlead can be reached from its own computer only';
    expect(shown.page.textContent?.includes(said)).toBe(isSaid);
    shown.button('Add a domain').click();
    await vi.waitFor(() => expect(document.querySelector('[role=dialog] input')).not.toBeNull(), 10_000);
    expect(document.querySelector('[role=dialog]')?.textContent?.includes(said)).toBe(isSaid);
  },
);

test('a domain that leads to this computer asks for nothing: it is said once what it waits for', async () => {
  const records = [recordOf({ value: '127.0.0.1' })];
  using shown = showScreen(<DomainsScreen />, {
    ...domainAnswers(domainOf()),
    'domains.list': () => ({ items: [domainOf({ records })], nextCursor: null }),
    'deployments.list': () => ({ items: [deploymentOf()], nextCursor: null }),
  });
  await shown.sees('shop.example');
  const said = shown.page.textContent ?? '';
  expect(said).toContain('Not public');
  expect(said).toContain('Visitors reach a domain here only once whoever runs this Fairlead has set SITES_DOMAIN');
  expect(said).not.toMatch(/Waiting for DNS|records? seen/);
});
