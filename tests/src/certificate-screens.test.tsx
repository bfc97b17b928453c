import { expect, test, vi } from 'vitest';
import type { Certificate } from '../../routers/schemas/certificates.ts';
import { CertificatesScreen } from '../../src/screens/certificates.tsx';
import { certificateOf, domainOf } from '../support/domain-fixtures.ts';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';
import { deploymentOf, deploymentsAre } from '../support/screen-fixtures.ts';

const AT = new Date('2026-11-20T12:00:00Z');

const menuItems = () =>
  [...document.querySelectorAll('[role="menuitem"]')].map(({ textContent }) => textContent?.trim());

function openMenu(trigger: HTMLElement): void {
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
}

const answersFor = (certificate: Certificate, localRoot: string | null = null): Answers => ({
  'deployments.list': () => ({ items: [], nextCursor: null }),
  'certificates.list': () => ({ items: [certificate], localRoot }),
});

test('a certificate says its names, its issuer and how long it lasts', async () => {
  using shown = showScreen(<CertificatesScreen />, answersFor(certificateOf()));
  await shown.sees('www.shop.example');
  expect(shown.page.textContent).toContain("Let's Encrypt");
  expect(shown.page.textContent).toMatch(/Expires on .*2126, in [\d,]+ days/);
  expect(shown.page.textContent).not.toContain('Browsers do not trust');
});

test('how a domain is served stands below the address of its deployment', async () => {
  using shown = showScreen(<CertificatesScreen />, {
    ...answersFor(certificateOf()),
    'deployments.list': () => ({ items: [deploymentOf(), deploymentOf({ name: 'inn' })], nextCursor: null }),
    'domains.list': () => ({ items: [domainOf({ state: 'active' })], nextCursor: null }),
  });
  await shown.sees('harbour.localhost:3001Plain HTTPharbourshop.exampleHTTPSinn');
  // A line ends between these pieces alone, not at a hyphen.
  const pieces = [...shown.page.querySelectorAll('.inline-block')].map(({ textContent }) => textContent);
  expect(pieces.slice(0, 2)).toEqual(['harbour.', 'localhost:3001']);
});

test('a deployment that has no address yet is not said to be served', async () => {
  const items = [
    deploymentOf({ name: 'Café', slug: 'harbour' }),
    deploymentOf({ name: 'draft', url: '', currentRelease: null }),
  ];
  using shown = showScreen(<CertificatesScreen />, {
    ...answersFor(certificateOf()),
    'deployments.list': () => ({ items, nextCursor: null }),
  });
  await shown.sees('Caféharbour.localhost:3001');
  // The other one is Fairlead's own.
  expect(shown.page.textContent?.match(/Plain HTTP(?! any)/g)).toHaveLength(2);
});

test('a renewal that failed says why and when it is tried again, and the certificate serves on', async () => {
  const problem = { type: 'connection', message: 'Port 80 did not answer.', detail: null, link: null, at: AT };
  const failed = certificateOf({ problem, nextTryAt: new Date('2126-01-01T00:00:00Z') });
  using shown = showScreen(<CertificatesScreen />, answersFor(failed));
  await shown.sees('Port 80 did not answer.');
  expect(shown.page.textContent).toContain('Renewal failed');
  expect(shown.page.textContent).toContain('Next try');
});

test('a name that the present certificate is not for is told, which is no failed renewal', async () => {
  const problem = { type: 'caa', message: 'CAA records forbid it.', detail: null, link: null, at: AT };
  const part = certificateOf({ problem, uncovered: ['www.shop.example'] });
  using shown = showScreen(<CertificatesScreen />, answersFor(part));
  await shown.sees('There is none for www.shop.example yet.');
  expect(shown.page.textContent).toContain('Some names missing');
  expect(shown.page.textContent).not.toContain('Renewal failed');
});

test.each([
  ['connection', '203.0.113.7: Timeout during connect', 'What the authority said'],
  ['dnsUnseen', 'The name server ns1.example does not show it.', 'Details'],
])('what was answered is folded below a problem (%s)', async (type, detail, summary) => {
  const problem = { type, message: 'Port 80 did not answer.', detail, link: null, at: AT };
  using shown = showScreen(<CertificatesScreen />, answersFor(certificateOf({ problem })));
  await shown.sees('Port 80 did not answer.');
  const folded = shown.page.querySelector('details');
  expect(folded?.querySelector('summary')?.textContent).toBe(summary);
  expect(folded?.querySelector('p')?.textContent).toBe(detail);
  expect(folded?.open).toBe(false);
});

test.each([
  ['before', false],
  ['after', true],
] as const)('of a renewal that failed, a test from %s the failure is shown: %s', async (when, isShown) => {
  const problem = { type: 'caa', message: 'CAA records forbid it.', detail: null, link: null, at: AT };
  const at = new Date(AT.getTime() + (when === 'before' ? -1_000 : 1_000));
  const renewAt = new Date('2126-01-19T12:00:00Z');
  const failed = certificateOf({ problem, nextTryAt: renewAt, renewAt, rehearsal: { at, checks: [] } });
  using shown = showScreen(<CertificatesScreen />, answersFor(failed));
  await shown.sees('CAA records forbid it. Next try');
  expect(shown.page.textContent).not.toContain('renews');
  expect(shown.page.textContent?.includes('Renewal tested')).toBe(isShown);
});

test('what a test of the renewal has found is said, and checks that passed are left out', async () => {
  const [bad, open] = ['Nothing answers at port 80.', 'The limits could not be read.'];
  const checks: NonNullable<Certificate['rehearsal']>['checks'] = [
    { id: 'account', verdict: 'pass', message: 'The account exists.' },
    { id: 'challenge', verdict: 'fail', message: bad },
    { id: 'caa', verdict: 'unknown', message: open },
  ];
  using shown = showScreen(<CertificatesScreen />, answersFor(certificateOf({ rehearsal: { at: AT, checks } })));
  await shown.sees(`A test of the renewal found: ${bad} ${open}`);
  expect(shown.page.textContent).not.toContain('The account exists.');
});

test('a problem that says it all has nothing folded below it', async () => {
  const said = 'Port 80 did not answer.';
  const problem = { type: 'rehearsal', message: said, detail: said, link: null, at: AT };
  using shown = showScreen(<CertificatesScreen />, answersFor(certificateOf({ problem })));
  await shown.sees(said);
  const summaries = [...shown.page.querySelectorAll('summary')].map(({ textContent }) => textContent);
  expect(summaries).toEqual(['History']);
});

test('what became of a certificate is shown when it is asked for', async () => {
  const history = [
    { at: AT, what: 'failed', detail: 'Port 80 did not answer.' },
    { at: AT, what: 'issued', detail: null },
    { at: new Date(3), what: 'issued', detail: null },
    { at: new Date(2), what: 'revoked', detail: null },
    { at: new Date(0), what: 'issued', detail: null },
  ];
  const asked = vi.fn(() => ({ ...certificateOf(), chain: null, history }));
  using shown = showScreen(<CertificatesScreen />, { ...answersFor(certificateOf()), 'certificates.get': asked });
  await shown.sees('valid from Nov 20, 2026');
  expect(asked).not.toHaveBeenCalled();
  const details = shown.page.querySelector('details');
  details?.setAttribute('open', '');
  details?.dispatchEvent(new Event('toggle'));
  await shown.sees('Port 80 did not answer.');
  expect(shown.rows('History')).toEqual([
    expect.stringMatching(/^Failed .*Port 80 did not answer.$/),
    expect.stringMatching(/^Renewed /),
    expect.stringMatching(/^Issued /),
    expect.stringMatching(/^Revoked /),
    expect.stringMatching(/^Issued /),
  ]);
});

test('a certificate is ordered for a domain from the page of all of them', async () => {
  const ordered = vi.fn(() => ({ ...certificateOf(), chain: null, history: [] }));
  const answers = {
    ...answersFor(certificateOf()),
    'domains.list': () => ({ items: [domainOf(), domainOf({ id: 'none', provedAt: null })], nextCursor: null }),
    'certificates.issue': ordered,
  };
  using shown = showScreen(<CertificatesScreen />, answers);
  await shown.sees('www.shop.example');
  shown.button('Issue').click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('Issue a certificate'), 10_000);
  await vi.waitFor(() => expect(document.querySelector('form')?.textContent).toContain('shop.example'), 10_000);
  document.querySelector('form')?.requestSubmit();
  await vi.waitFor(() => expect(ordered).toHaveBeenCalledOnce());
  expect(ordered.mock.lastCall).toMatchObject([{ domainId: 'shop' }, undefined]);
});

test('who orders a certificate without a choice among several domains is asked for one', async () => {
  const answers = {
    ...answersFor(certificateOf()),
    'domains.list': () => ({ items: [domainOf(), domainOf({ id: 'quay', name: 'quay.example' })], nextCursor: null }),
  };
  using shown = showScreen(<CertificatesScreen />, answers);
  await shown.sees('www.shop.example');
  shown.button('Issue').click();
  const choice = () => document.querySelector<HTMLElement>('form [role="combobox"]');
  await vi.waitFor(() => expect(choice()?.textContent).toContain('Choose a domain'));
  // An empty option is there before the domains are.
  const offered = () => [...document.querySelectorAll('form option')].map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(offered()).toContain('quay.example'));
  document.querySelector('form')?.requestSubmit();
  const isAsked = () =>
    expect(document.querySelector('form')?.textContent).toContain('Choose the domain that it is for');
  await vi.waitFor(isAsked);
  expect(choice()?.getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(choice());
});

test('none is offered while no domain is proved, which none could be issued for', async () => {
  const list = vi.fn(() => ({ items: [domainOf({ provedAt: null })], nextCursor: null }));
  using shown = showScreen(<CertificatesScreen />, {
    ...deploymentsAre(deploymentOf()),
    'domains.list': list,
  });
  await shown.sees('Each domain gets one automatically');
  await shown.sees('harbour.localhost:3001');
  expect(list).toHaveBeenCalled();
  expect(shown.page.querySelectorAll('button')).toHaveLength(0);
});

test.each([
  ['adding one', [deploymentOf()], 'Add a domain', '/domains?add=1'],
  ['a deployment, where there is none to give one', [], 'Publish a folder', '/new-deployment'],
])('who has no domain is led to %s, where there would be nothing to order', async (_what, items, label, to) => {
  using shown = showScreen(<CertificatesScreen />, {
    'certificates.list': () => ({ items: [], localRoot: null }),
    'domains.list': () => ({ items: [], nextCursor: null }),
    'deployments.list': () => ({ items, nextCursor: null }),
  });
  await shown.sees(label);
  expect(shown.linkTo(label)).toBe(to);
  expect(shown.page.querySelectorAll('button')).toHaveLength(0);
});

test('certificates of the own authority are named as not trusted, with the root to install', async () => {
  using shown = showScreen(<CertificatesScreen />, answersFor(certificateOf({ isPublic: false }), 'PEM'));
  await shown.sees('Browsers do not trust the certificates of this Fairlead yet');
  expect(shown.button('Download the root certificate')).toBeDefined();
});

test('the root can be had before there is a certificate, with the way to install it', async () => {
  const none = { 'certificates.list': () => ({ items: [], localRoot: 'PEM' }) };
  using shown = showScreen(<CertificatesScreen />, none);
  await shown.sees('No certificates yet.');
  expect(shown.button('Download the root certificate')).toBeDefined();
  expect(shown.linkTo('How to install it')).toBe('/help#install-root');
  using waiting = showScreen(<CertificatesScreen />, {
    ...none,
    'domains.list': () => ({ items: [domainOf({ state: 'pending_dns' })], nextCursor: null }),
  });
  await vi.waitFor(() => expect(waiting.linkTo('Show your domains'), 'a domain waits').toBe('/domains'));
});

test.each([
  ['issued', true],
  ['renewing', true],
  ['expired', false],
  ['failed', false],
  ['revoked', false],
] as const)('whether one that is %s may be revoked: %s', async (state, mayRevoke) => {
  const certificate = certificateOf({ state });
  using shown = showScreen(<CertificatesScreen />, answersFor(certificate));
  await shown.sees('www.shop.example');
  openMenu(shown.button(`Actions for the certificate of ${certificate.names[0]}`));
  await vi.waitFor(() => expect(menuItems()).toContain('Renew'));
  expect(menuItems().includes('Revoke')).toBe(mayRevoke);
});

test('without a certificate the first is promised, and each address says how it is served', async () => {
  const answers = deploymentsAre(deploymentOf(), deploymentOf({ name: 'quay', url: 'https://quay.example.com' }));
  using shown = showScreen(<CertificatesScreen />, answers);
  await shown.sees('harbour.localhost:3001');
  expect(shown.page.textContent).toContain('No certificates yet.');
  const [harbour, quay] = [...shown.page.querySelectorAll('li')].map((row) => row.textContent);
  expect(harbour).toContain('Plain HTTP');
  expect(quay).toContain('HTTPS');
  const warning = 'Over plain HTTP, anyone between';
  expect(shown.page.textContent, 'nobody is between a computer and itself').not.toContain(warning);
  using open = showScreen(<CertificatesScreen />, deploymentsAre(deploymentOf({ url: 'http://quay.example.com' })));
  await open.sees(warning);
  using safe = showScreen(<CertificatesScreen />, deploymentsAre(deploymentOf({ url: 'https://quay.example.com' })));
  await safe.sees('quay.example.com');
  expect(safe.page.textContent).not.toContain(warning);
  const plain = domainOf({ deploymentId: 'harbour', state: 'active', url: 'http://shop.example' });
  using mixed = showScreen(<CertificatesScreen />, {
    ...deploymentsAre(deploymentOf({ url: 'https://quay.example.com' })),
    'domains.list': () => ({ items: [plain], nextCursor: 'more' }),
  });
  await mixed.sees(warning);
  expect(mixed.page.textContent).toContain('See all of them under Domains');
});

test('domains that could not be loaded are told beside the addresses that were', async () => {
  using shown = showScreen(<CertificatesScreen />, {
    ...deploymentsAre(deploymentOf()),
    'domains.list': () => refusal('internal', 'The server failed.'),
  });
  await shown.sees('Not all addresses could be loaded');
  await shown.sees('harbour.localhost:3001');
});
