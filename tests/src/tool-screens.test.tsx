import { expect, test, vi } from 'vitest';
import type { Certificate } from '../../routers/schemas/certificates.ts';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { DeploymentHealth } from '../../routers/schemas/diagnostics.ts';
import type { Domain } from '../../routers/schemas/domains.ts';
import type { ListedRelease, ReleaseDetail } from '../../routers/schemas/releases.ts';
import { signInAs } from '../../src/api/user.ts';
import { statisticsByDeployment, statisticsOf } from '../../src/features/analytics/release-statistics.ts';
import { asksForAct, checksOf } from '../../src/features/diagnostics/checks.ts';
import { domainChecks } from '../../src/features/diagnostics/domain-checks.ts';
import { formatDate } from '../../src/lib/format.ts';
import { AnalyticsScreen } from '../../src/screens/analytics.tsx';
import { CertificatesScreen } from '../../src/screens/certificates.tsx';
import { DeploymentHistoryScreen } from '../../src/screens/deployment-history.tsx';
import { DeploymentsScreen } from '../../src/screens/deployments.tsx';
import { DiagnosticsScreen } from '../../src/screens/diagnostics.tsx';
import { DomainsScreen } from '../../src/screens/domains.tsx';
import { LicenseManagementScreen } from '../../src/screens/license-management.tsx';
import { PaymentSuccessScreen } from '../../src/screens/payment-success.tsx';
import { TestSimulationScreen } from '../../src/screens/test-simulation.tsx';
import { certificateOf, domainOf, recordOf } from '../support/domain-fixtures.ts';
import { type Answers, refusal, type ShownScreen, showScreen } from '../support/screen.tsx';
import {
  allowanceOf,
  deploymentOf,
  deploymentsAre,
  releaseDetailOf,
  releaseOf,
  releaseRefOf,
  secondsLater,
  shownAt,
  stepOf,
  trial,
} from '../support/screen-fixtures.ts';

const onPro = allowanceOf();
const draft = deploymentOf({
  name: 'draft',
  state: 'draft',
  currentRelease: null,
  latestRelease: null,
  releaseCount: 0,
});
const verified = releaseDetailOf({
  steps: [
    stepOf({
      name: 'verifying',
      state: 'done',
      startedAt: shownAt,
      endedAt: secondsLater(2),
      done: 214,
      total: 214,
    }),
  ],
});

/** An earlier one, where no other state is given. */
function release(number: number, fields: Partial<ListedRelease> = {}): ListedRelease {
  return releaseOf({ number, state: 'superseded', ...fields });
}

const AWAY = refusal('database_unavailable', 'The database is away.');

test('addresses are on their way, fail with Retry, and stand with what answers at each', async () => {
  const answers: Answers = {};
  using waiting = showScreen(<DomainsScreen />, answers);
  expect(waiting.page.querySelector('[role=status]')?.textContent).toContain('Loading');

  answers['domains.list'] = () => ({ items: [], nextCursor: null });
  answers['deployments.list'] = () => AWAY;
  using shown = showScreen(<DomainsScreen />, answers);
  await shown.sees('The addresses could not be loaded');
  Object.assign(answers, deploymentsAre(deploymentOf(), draft));
  shown.button('Retry').click();
  await shown.sees('harbour.localhost:3001');
  expect(shown.linkTo('Visit harbour, opens in a new tab')).toBe('http://harbour.localhost:3001');
  expect(shown.linkTo('Release 3')).toBe('/deployments/harbour/releases/3');
  expect(shown.button('Copy the address of draft')).toBeDefined();
  // Where nothing is published there is nothing to visit.
  expect(shown.linkTo('Visit draft, opens in a new tab')).toBeUndefined();
  expect(shown.rows('Addresses')[1]).toContain('Nothing yet');
});

test('an address is copied and visited once there is one, and changed where it is ours', async () => {
  const waiting = deploymentOf({ name: 'quay', platform: 'netlify', url: '' });
  const there = deploymentOf({ name: 'pier', platform: 'netlify', url: 'https://pier.netlify.app' });
  using shown = showScreen(<DomainsScreen />, deploymentsAre(deploymentOf(), waiting, there));
  await shown.sees('No address yet');
  expect(shown.page.textContent).not.toContain('Copy the address of quay');
  expect(shown.linkTo('Visit quay, opens in a new tab')).toBeUndefined();
  expect(shown.button('Copy the address of pier')).toBeDefined();
  expect(shown.linkTo('Visit pier, opens in a new tab')).toBe('https://pier.netlify.app');
  expect(shown.linkTo('Change the address of pier')).toBeUndefined();
  expect(shown.linkTo('Change the address of harbour')).toBe('/deployments/harbour?tab=settings');
});

const noReleases = () => ({ items: [], rollBacks: [], nextCursor: null });

function titlesOf({ page }: ShownScreen): (string | null)[] {
  return [...page.querySelectorAll('h2')].map(({ textContent }) => textContent);
}

test('without a deployment each screen has one empty state, which leads to the first', async () => {
  const nothing = { 'connections.list': () => ({ items: [] }), 'deployments.leftSites': () => ({ items: [] }) };
  using deployments = showScreen(<DeploymentsScreen />, { ...deploymentsAre(), ...nothing });
  await deployments.sees('No deployments yet.');
  expect([...deployments.page.querySelectorAll('a')].map(({ textContent }) => textContent)).toEqual([
    'Publish a folder',
  ]);
  using domains = showScreen(<DomainsScreen />, deploymentsAre());
  await domains.sees('No domains yet.');
  expect(domains.linkTo('Publish a folder')).toBe('/new-deployment');
  expect(titlesOf(domains)).toEqual(['Your domains']);
  using certificates = showScreen(<CertificatesScreen />, deploymentsAre());
  await certificates.sees('No certificates yet.');
  expect(titlesOf(certificates)).toEqual(['Certificates', 'How Fairlead itself is served']);
  using diagnostics = showScreen(<DiagnosticsScreen />, {
    ...deploymentsAre(),
    'diagnostics.list': () => ({ items: [] }),
  });
  await diagnostics.sees('No deployments yet.');
  expect(diagnostics.linkTo('Publish a folder')).toBe('/new-deployment');
  expect(titlesOf(diagnostics)).toEqual([]);
  using history = showScreen(<DeploymentHistoryScreen />, { ...deploymentsAre(), 'releases.list': noReleases });
  await history.sees('No releases yet.');
  await vi.waitFor(() => expect(history.page.querySelectorAll('button, select')).toHaveLength(0));
  using analytics = showScreen(<AnalyticsScreen />, {
    ...deploymentsAre(),
    'releases.list': noReleases,
  });
  await analytics.sees('No releases yet.');
});

const TWIN = { deploymentName: 'Harbour', deploymentSlug: 'harbour-2', url: 'http://harbour-2.localhost:3001' };

test('releases are counted by what became of them, and timed by those that went live', () => {
  const releases = [
    release(9, { state: 'uploading', finishedAt: null }),
    release(8, { state: 'live' }),
    release(7, { state: 'failed', finishedAt: secondsLater(500) }),
    release(6, { state: 'cancelled', finishedAt: secondsLater(600) }),
    release(2),
    release(1, { ...TWIN, deploymentId: 'other' }),
  ];
  expect(statisticsOf(releases)).toEqual({
    count: 6,
    outcomes: { live: 3, failed: 1, cancelled: 1, running: 1 },
    typicalMs: 2_000,
    longestMs: 8_000,
  });
  expect(statisticsOf([])).toMatchObject({ count: 0, typicalMs: null, longestMs: null });
  expect(statisticsByDeployment(releases)).toMatchObject([
    { deploymentLabel: 'harbour', count: 5, typicalMs: 2_000, latest: { number: 9 } },
    { deploymentLabel: 'Harbour (harbour-2)', count: 1, typicalMs: 1_000, latest: { number: 1 } },
  ]);
});

/** The answers for the part above the releases, which is not tested here. */
const NO_VISITS: Answers = {
  'analytics.visits': () => ({ keptDays: null, totals: { requests: 0 } }),
  'analytics.releases': () => ({ isCut: false, platforms: [] }),
};

test('analytics show what releases did, and ask again after a failure', async () => {
  const answers: Answers = { ...deploymentsAre(deploymentOf()), ...NO_VISITS, 'releases.list': () => AWAY };
  using shown = showScreen(<AnalyticsScreen />, answers);
  await shown.sees('The releases could not be loaded');
  answers['releases.list'] = () => ({
    items: [release(2, { state: 'live' }), release(1, { state: 'failed' })],
    rollBacks: [],
    nextCursor: 'more',
  });
  shown.button('Retry').click();
  await shown.sees('The last 50 releases');
  const figures = [...shown.page.querySelectorAll('dl > div')].map((figure) => figure.textContent?.trim());
  expect(figures).toEqual([
    'Went live1',
    'Failed1',
    'Cancelled0',
    'Median time until live2.0 s',
    'Longest time until live2.0 s',
  ]);
  expect(shown.rows('Releases by deployment')).toHaveLength(1);
});

test('of two deployments of one name the one is told from the other, in a choice and in a list', async () => {
  const twins = [deploymentOf(), deploymentOf({ id: 'second', name: 'Harbour', slug: 'harbour-2' })];
  const ofSecond = { ...TWIN, deploymentId: 'second' };
  const numbers = { fromNumber: 2, toNumber: 1 };
  const rollBack = { ...ofSecond, ...numbers, id: 'back', url: '', createdBy: 'sailor', state: 'done' as const };
  const answers: Answers = {
    ...deploymentsAre(...twins),
    'deployments.get': () => twins[1],
    'releases.get': () => verified,
    'releases.list': () => ({
      items: [release(1, ofSecond)],
      rollBacks: [{ ...rollBack, createdAt: secondsLater(9), endedAt: secondsLater(10) }],
      nextCursor: null,
    }),
  };
  const chosen = { pattern: '/', path: '/?deployment=second' };
  for (const Screen of [AnalyticsScreen, DeploymentHistoryScreen, DiagnosticsScreen]) {
    using shown = showScreen(<Screen />, answers, chosen);
    await vi.waitFor(() =>
      expect(shown.page.querySelector('[role=combobox]')?.textContent).toBe('Harbour (harbour-2)'),
    );
  }
  using history = showScreen(<DeploymentHistoryScreen />, answers);
  await history.sees('Harbour (harbour-2), Release 1');
  expect(history.linkTo('Harbour (harbour-2), Release 2 → release 1')).toBe('/deployments/second/releases/1');
});

test('a report says what was seen and when, and of what nobody looked at that it is not checked', () => {
  const verdicts = (...[of, current]: [Deployment, ReleaseDetail | null]) =>
    Object.fromEntries(checksOf(of, current, undefined).map(({ id, verdict }) => [id, verdict]));
  const sound = Object.fromEntries(
    ['published', 'compared', 'start-page', 'address', 'files', 'last'].map((id) => [
      id,
      id === 'address' ? 'unknown' : 'pass',
    ]),
  );
  expect(verdicts(deploymentOf(), verified)).toEqual(sound);
  expect(new Set(Object.values(verdicts(draft, null)))).toEqual(new Set(['nothing', 'unknown']));
  expect(checksOf(draft, null, undefined).filter(asksForAct)).toEqual([]);

  const troubled = deploymentOf({
    currentRelease: releaseRefOf({ corruptedFileCount: 2 }),
    latestRelease: releaseRefOf({ number: 4, state: 'failed', errorMessage: 'A file differs.', liveSince: null }),
  });
  const checks = checksOf(troubled, verified, undefined);
  expect(checks.filter(asksForAct)).toHaveLength(2);
  expect(checks.find(({ id }) => id === 'files')).toMatchObject({
    verdict: 'fail',
    seen: '2 files of release 3 can no longer be read and are not served.',
    link: { to: '/deployments/harbour/releases/3' },
  });
  expect(checks.find(({ id }) => id === 'last')).toMatchObject({
    verdict: 'warn',
    seen: 'Release 4 failed. A file differs. Release 3 is still live.',
    link: { to: '/deployments/harbour/releases/4' },
  });
  expect(checks.find(({ id }) => id === 'compared')?.at).toEqual(secondsLater(2));

  const rolledBack = {
    ...verified,
    finishedAt: shownAt,
    steps: verified.steps.map((step) => ({ ...step, startedAt: secondsLater(1) })),
  };
  expect(checksOf(troubled, rolledBack, undefined).find(({ id }) => id === 'compared')).toMatchObject({
    seen: 'Every file has been fetched from the host and compared with what was sent, byte by byte.',
    at: shownAt,
  });

  const again = releaseRefOf({ liveSince: secondsLater(90) });
  const back = deploymentOf({ currentRelease: again, latestRelease: again });
  expect(checksOf(back, verified, undefined)).toContainEqual(
    expect.objectContaining({
      ...{ id: 'last', title: 'The last rollback went well', seen: 'Release 3 is live again.' },
      at: again.liveSince,
    }),
  );

  const destinations = verified.destinations.map((one) => ({ ...one, missingLinks: ['/a.css', '/b.png'] }));
  expect(checksOf(deploymentOf(), { ...verified, destinations }, undefined)).toContainEqual(
    expect.objectContaining({ id: 'start-page', verdict: 'warn', seen: '2 files on the start page do not load.' }),
  );

  expect(checksOf(deploymentOf(), { ...verified, hasStartPage: false }, undefined)).toContainEqual(
    expect.objectContaining({
      ...{ id: 'start-page', verdict: 'warn' },
      seen: 'There is none: anyone who opens the address sees “not found”.',
    }),
  );

  const onItsWay = deploymentOf({ latestRelease: releaseRefOf({ number: 4, state: 'uploading', liveSince: null }) });
  expect(verdicts(onItsWay, verified)).toEqual({ ...sound, last: 'unknown' });
});

test('of the address a report says what the last look from outside saw', () => {
  const seen = 'http://harbour.localhost:3001 answers 502.';
  const health = (...checks: DeploymentHealth['checks']): DeploymentHealth => ({
    ...{ deploymentId: 'harbour', checks, checkedAt: secondsLater(600), nextCheckAt: secondsLater(1_200) },
  });
  const addressOf = (...[of, now]: [Deployment, DeploymentHealth]) =>
    checksOf(of, verified, now).find(({ id }) => id === 'address');
  const failing = health({ id: 'url-up', verdict: 'fail', seen });
  expect(addressOf(deploymentOf(), failing)).toMatchObject({ verdict: 'fail', seen, at: secondsLater(600) });
  expect(checksOf(deploymentOf(), verified, failing).filter(asksForAct)).toHaveLength(1);
  // Before the first look at the release, and where nothing is live, nothing is known.
  expect(addressOf(deploymentOf(), health())).toMatchObject({
    verdict: 'unknown',
    seen: 'harbour.localhost:3001 has not been checked yet.',
    at: null,
  });
  const later = deploymentOf({ currentRelease: releaseRefOf({ number: 4, liveSince: secondsLater(900) }) });
  expect(addressOf(later, failing)).toMatchObject({ verdict: 'unknown' });
  expect(addressOf(draft, failing)).toMatchObject({ verdict: 'unknown' });
});

test('a report says of each domain what was seen of its records and of its certificate', () => {
  const now = shownAt;
  const seen = (domain: Domain, ...certificates: Certificate[]) =>
    domainChecks([domain], certificates, now).map(({ verdict, seen }) => `${verdict}: ${seen}`);
  expect(domainChecks([], [], now).map(({ id, verdict }) => [id, verdict])).toEqual([
    ['domain', 'nothing'],
    ['certificate', 'nothing'],
  ]);
  const active = domainOf({ state: 'active', activeSince: now });
  expect(seen(active, certificateOf({ notAfter: secondsLater(86_400) }))).toEqual([
    'pass: Its records point to this deployment.',
    `pass: It is valid until ${formatDate(secondsLater(86_400))}.`,
  ]);
  expect(seen(active, certificateOf({ domainId: 'another' }))[1]).toBe('unknown: Not issued yet.');
  const problem = { type: 'dns', message: 'The name does not resolve.', detail: null, link: null, at: now };
  expect(seen(active, certificateOf({ notAfter: secondsLater(-1), problem }))[1]).toBe(
    `fail: It expired on ${formatDate(secondsLater(-1))}. The name does not resolve.`,
  );
  expect(seen(active, certificateOf({ notAfter: secondsLater(86_400), problem }))[1]).toMatch(/^warn: It could not be/);
  expect(seen(active, certificateOf({ notAfter: null, problem }))[1]).toBe('fail: The name does not resolve.');
  expect(seen(domainOf())).toEqual([
    'warn: Not all of its records have been seen yet.',
    'unknown: It is issued once the records point here.',
  ]);
  const broken = { code: 'gone', message: 'The A record is gone.', hint: null, since: now };
  expect(seen(domainOf({ state: 'misconfigured', problem: broken }))[0]).toBe('fail: The A record is gone.');
  const caa = { ...broken, code: 'caa_forbids', message: 'CAA forbids it.' };
  expect(seen(domainOf({ state: 'misconfigured', problem: caa })).slice(0, 2)).toEqual([
    'pass: Its records point to this deployment.',
    'fail: CAA forbids it.',
  ]);
  const unregistered = { ...broken, code: 'zone_missing', message: 'It is not registered.' };
  expect(domainChecks([domainOf({ problem: unregistered, checkedAt: now })], [], now)[0]).toMatchObject({
    ...{ title: 'Name servers of shop.example', verdict: 'fail', seen: 'It is not registered.' },
  });
  const local = domainOf({ records: [recordOf({ value: '127.0.0.1' })], problem: unregistered, checkedAt: now });
  expect(domainChecks([local], [], now)[0]?.title).toBe('DNS records of shop.example');
  expect(seen(local)[0]).toBe('nothing: On hold until this Fairlead is public.');
  const cafe = { name: 'xn--caf-dma.example', unicodeName: 'café.example', state: 'misconfigured' } as const;
  expect(seen(domainOf({ ...cafe, problem: { ...broken, message: cafe.name } }))[0]).toBe('fail: café.example');
  const www = recordOf({ type: 'CNAME', name: 'www.shop.example', value: 'shop.example' });
  expect(
    seen(domainOf({ state: 'active', pointedNames: ['shop.example'], records: [recordOf({ state: 'ok' }), www] }))[0],
  ).toBe('pass: Its records point to this deployment. www.shop.example is not set up yet.');
  expect(seen(domainOf({ lostTo: 'another account' }))[0]).toBe(
    'fail: Another account has proved that it owns this domain.',
  );
  const ok = { state: 'ok', code: 'ok', text: 'It is there.' } as const;
  const refused = { state: 'problem', code: 'caa', text: 'CAA forbids it.', expiresAt: null } as const;
  const answers = [{ name: 'shop.example', ownership: ok, dns: ok, certificate: refused }];
  const atPlatform = { platform: 'netlify' as const, answers, steps: [], askedAt: now };
  expect(seen(domainOf({ state: 'active', atPlatform }))[1]).toBe('fail: CAA forbids it.');
});

test('the report of a deployment leads to the log of its release, and a lost one can be asked again', async () => {
  const answers: Answers = {
    ...deploymentsAre(deploymentOf()),
    'deployments.get': () => deploymentOf(),
    'releases.get': () => AWAY,
    'domains.list': () => ({ items: [domainOf({ state: 'active' })], nextCursor: null }),
    'certificates.list': () => ({ items: [certificateOf()], localRoot: null }),
  };
  using shown = showScreen(<DiagnosticsScreen />, answers);
  await shown.sees('The report could not be loaded');
  const sent = stepOf({ name: 'uploading', state: 'done', startedAt: shownAt, endedAt: secondsLater(1) });
  answers['releases.get'] = () => ({ ...verified, steps: [sent, ...verified.steps] });
  shown.button('Retry').click();
  await shown.sees('No problems found in harbour');
  const steps = [...shown.page.querySelectorAll('ol[aria-label="Steps of release 3"] > li')];
  expect(
    steps.map((step) => [...step.querySelectorAll('p, p + span')].map(({ textContent }) => textContent)),
    'the times of the page of the release: nobody noted how long the page sent',
  ).toEqual([['Sent'], ['Checked', '2.0 s'], ['Switched on', '1.0 s']]);
  expect(shown.page.textContent).toContain('214 files were fetched from the host and compared');
  expect(shown.linkTo('Read the log')).toBe('/deployments/harbour/releases/3');
  expect(shown.rows('Checks')).toHaveLength(8);
});

test('beside a dashboard that shows a failing address, the report of the deployment counts it as well', async () => {
  const seen = 'http://harbour.localhost:3001 does not answer in time.';
  const checks = [{ id: 'url-up', verdict: 'fail', seen }];
  const health = { deploymentId: 'harbour', checks, checkedAt: secondsLater(2), nextCheckAt: secondsLater(600) };
  using shown = showScreen(<DiagnosticsScreen />, {
    ...deploymentsAre(deploymentOf()),
    'deployments.get': () => deploymentOf(),
    'releases.get': () => verified,
    'diagnostics.health': () => ({ items: [health] }),
  });
  await shown.sees('1 thing to look at in harbour');
  expect(shown.page.textContent).toContain(seen);
  expect(shown.rows('Checks')[0], 'before all that is well').toContain(seen);
});

test('below a report that found something, nothing says that there are no problems', async () => {
  const report = { id: 'r'.repeat(20), state: 'done', name: 'harbour.localhost', deploymentId: 'harbour' };
  using shown = showScreen(<DiagnosticsScreen />, {
    ...deploymentsAre(deploymentOf()),
    'deployments.get': () => deploymentOf(),
    'releases.get': () => verified,
    'diagnostics.list': () => ({
      items: [{ ...report, cause: 'url-up', verdict: 'fail', startedAt: shownAt, finishedAt: secondsLater(60) }],
    }),
  });
  await shown.sees('No problems with harbour besides those in its last report');
});

test('what a plan allows is said as the server says it, without a receipt and without a key', async () => {
  const username = 'sailor';
  const user = { id: 'sailor', username, email: 'sailor@example.com', emailConfirmed: true, pendingEmail: null };
  const more = { disclaimerAccepted: true, deploymentCount: 2, isBetaTester: false, createdAt: shownAt };
  signInAs({ ...user, ...more, accessToken: 'token', expiresAt: new Date(Date.now() + 3_600_000) });
  const answers: Answers = {
    'subscription.allowance': () => AWAY,
    'subscription.get': () => trial,
    'licenses.list': () => ({ items: [] }),
  };

  using licenses = showScreen(<LicenseManagementScreen />, answers);
  await licenses.sees('Your plan could not be loaded');
  answers['subscription.allowance'] = () => onPro;
  licenses.button('Retry').click();
  await licenses.sees('The trial runs until Jan 15, 2030.');
  await licenses.sees('No license keys yet.');
  expect(licenses.linkTo('See the plans')).toBe('/pricing');

  answers['payments.list'] = () => ({ items: [], hasPortal: false });
  using payment = showScreen(<PaymentSuccessScreen />, answers);
  await payment.sees('Your Pro trial is active');
  await payment.sees('A trial needs no payment.');
  expect(payment.page.textContent).toContain('Jan 15, 2030');
  expect(payment.page.textContent).not.toMatch(/Payment success|Receipt/);
  expect(payment.linkTo('Account')).toBe('/account');
});

test('a dry run says whether the plan takes another deployment', async () => {
  const used = { ...onPro, plan: 'BASIC', deploymentLimit: 1, deploymentCount: 1, remaining: 0 };
  const answers: Answers = { 'subscription.allowance': () => AWAY };
  using shown = showScreen(<TestSimulationScreen />, answers);
  await shown.sees('Your plan could not be loaded');
  answers['subscription.allowance'] = () => used;
  shown.button('Retry').click();
  await shown.sees('Basic allows 1 deployment');
  expect(shown.linkTo('See the plans')).toBe('/subscription/pricing');
});

test('a simulation shows the screens of a deployment, marked, and leads nowhere', async () => {
  const release = { ...releaseDetailOf({ state: 'failed' }), platform: 'simulated' as const, destinations: [] };
  const error = { code: 'plan_limit', message: 'Simulated Netlify does not allow this.', hint: null, raw: null };
  const scene = { atMs: 0, domain: null, certificate: null, handOff: null, isHeld: false, report: null };
  const asked: unknown[] = [];
  const ran = (input: unknown) => {
    asked.push(input);
    return { scenes: asked.length === 1 ? [{ ...scene, release: { ...release, error } }] : well };
  };
  const live = { ...release, state: 'live' as const, url: 'https://your-site.example' };
  const domain = domainOf({ state: 'active' });
  const steps = [{ text: 'Open the import page of Replit.' }];
  const handed = { ...scene, release: { ...live, state: 'processing' as const }, handOff: { steps }, isHeld: true };
  const seen = 'The certificate of shop.example has expired.';
  const found = {
    id: 'certificate',
    verdict: 'fail',
    seen,
    why: '',
    asked: [],
    fix: null,
    because: null,
    repair: null,
  };
  const report = {
    ...{ id: 'r'.repeat(20), state: 'done', name: 'shop.example', deploymentId: null, cause: 'certificate' },
    ...{ isWhole: true, checks: [{ ...found, tookMs: 0 }], checkCount: 1, changes: [], since: null },
    ...{ startedAt: shownAt, finishedAt: shownAt, sharedUntil: null },
  };
  const well = [handed, { ...scene, release: live, domain, certificate: certificateOf({}), report }];
  using shown = showScreen(<TestSimulationScreen />, {
    'subscription.allowance': () => onPro,
    'simulation.failures': () => [],
    'simulation.run': ran,
  });
  // A form outside of the document is not sent, and nothing scrolls in this one.
  document.body.append(shown.page);
  Element.prototype.scrollIntoView ??= () => undefined;
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  shown.button('Set up a simulation').click();
  await shown.sees('With a domain of your own');
  shown.button('Run the simulation').click();
  await shown.sees('Simulated Netlify does not allow this.');
  await shown.sees('None of this exists.');
  expect(scrolled).toHaveBeenCalled();
  shown.button('Try again').click();
  // It is held there until the person goes on.
  await shown.sees('Open the import page of Replit.');
  shown.button('Check now').click();
  await shown.sees('is live');
  await shown.sees('SSL certificate');
  expect(shown.page.textContent).toContain(seen);
  expect(asked).toEqual(Array(2).fill({ platform: 'built-in', withDomain: true }));
  const simulated = shown.page.querySelector('[aria-label="Simulated deployment"]');
  expect([...(simulated?.querySelectorAll('a') ?? [])]).toEqual([]);
});
