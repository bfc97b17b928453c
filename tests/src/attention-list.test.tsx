import { useState } from 'react';
import { flushSync } from 'react-dom';
import { afterEach, expect, test } from 'vitest';
import type { Certificate } from '../../routers/schemas/certificates.ts';
import type { DeploymentHealth } from '../../routers/schemas/diagnostics.ts';
import type { Domain } from '../../routers/schemas/domains.ts';
import { lostConnectionItems } from '../../src/features/deployments/manage/attention/attention-items.ts';
import { AttentionList } from '../../src/features/deployments/manage/attention/attention-list.tsx';
import { certificateOf, domainOf, recordOf } from '../support/domain-fixtures.ts';
import { type Answers, showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

const AT = new Date('2026-11-20T12:00:00Z');
const LATER = new Date('2126-02-18T12:00:00Z');

afterEach(() => document.body.replaceChildren());

function show(
  domains: Domain[],
  certificates: Certificate[],
  nextCursor: string | null = null,
  broken: readonly Domain[] = [],
) {
  const asked: unknown[] = [];
  const answering = (answer: unknown) => (input: unknown) => {
    asked.push(input);
    return answer;
  };
  const answers: Answers = {
    'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
    'domains.list': (input) =>
      answering((input as { isBroken?: true }).isBroken ? { items: broken } : { items: domains, nextCursor })(input),
    'certificates.list': answering({ items: certificates, localRoot: null }),
  };
  const shown = showScreen(<AttentionList deployments={[deploymentOf()]} allowance={allowanceOf()} />, answers);
  return { ...shown, asked, items: () => [...shown.page.querySelectorAll('li')].map((item) => item.textContent) };
}

test('domains that need a record, or have lost one, are named with the way to mend them', async () => {
  const problem = { code: 'records_changed', message: 'The A record of b.example is gone.', hint: null, since: AT };
  using shown = show(
    [
      domainOf({ id: 'a', name: 'a.example', state: 'unverified', proof: { type: 'TXT', name: '_p.a', value: 'v' } }),
      domainOf({ id: 'b', name: 'b.example', state: 'misconfigured', problem }),
      domainOf({ id: 'c', name: 'xn--caf-dma.example', unicodeName: 'café.example', state: 'pending_dns' }),
      domainOf({ id: 'e', name: 'e.example', problem: { ...problem, message: 'It is not registered.' } }),
      domainOf({ id: 'f', name: 'f.example', state: 'active', problem: { ...problem, message: 'Its proof is gone.' } }),
      domainOf({ id: 'd', name: 'd.example', state: 'unverified', lostTo: 'another account' }),
    ],
    [],
    'more',
  );
  await shown.sees('b.example needs attention');
  expect(shown.items()).toEqual([
    'a.example needs a recordThe TXT record _p.a, your proof of ownership, has not been seen yet.See what to do',
    'b.example needs attentionThe A record of b.example is gone.Fix it',
    'café.example needs a recordThe A record of shop.example has not been seen yet.See what to do',
    'e.example is not set up yetIt is not registered.See what to do',
    'f.example needs attentionIts proof is gone.See what to do',
    expect.stringContaining(
      'Another account has proved that it owns d.exampleIf the domain is yours, replace the other account’s TXT record with yours.',
    ),
    expect.stringContaining('More domains need a record'),
  ]);
  expect(shown.linkTo('Fix it')).toBe('/domains/b');
  expect(shown.asked.slice(0, 2)).toEqual([{ needsCare: true, limit: 5 }, { needsCare: true }]);
});

test('of more domains than are listed, those that no longer work or were lost come first', async () => {
  const news = ['a', 'b'].map((id) => domainOf({ id, name: `${id}.example`, state: 'unverified' }));
  using shown = show(news, [], 'more', [domainOf({ id: 'old', name: 'old.example', state: 'misconfigured' })]);
  await shown.sees('old.example needs attention');
  await shown.sees('The most urgent come first.');
  expect(shown.items().map((item) => item?.slice(0, 11))).toEqual(['old.example', 'a.example n', 'More domain']);
});

test('a deployment that lost its connection is named with the way to connect it again; one that is refused is not', () => {
  const lost = { destinationId: 'a', provider: 'netlify' as const, connectionId: null, message: 'Removed.' };
  const refused = { ...lost, connectionId: 'netlify-1' };
  expect(
    lostConnectionItems([deploymentOf({ lostConnections: [lost] }), deploymentOf({ lostConnections: [refused] })]),
  ).toEqual([
    expect.objectContaining({
      title: 'harbour is no longer connected to Netlify',
      text: 'What is live stays live, but nothing new can be published until Netlify is connected again.',
      action: { to: '/settings?connect=netlify', label: 'Connect Netlify' },
    }),
  ]);
});

test('certificates that cannot be renewed, end soon or have run out are named with why', async () => {
  const problem = { type: 'connection', message: 'Port 80 did not answer.', detail: null, link: null, at: AT };
  const checks = [{ id: 'caa' as const, verdict: 'fail' as const, message: 'A CAA record forbids it.' }];
  const of = (id: string, changes: Partial<Certificate>) =>
    certificateOf({ id, domainId: id, names: [`${id}.example`], ...changes });
  using shown = show(
    [],
    [
      of('failed', { problem, notAfter: LATER }),
      of('rehearsed', { rehearsal: { at: AT, checks }, notAfter: LATER }),
      of('late', { notAfter: LATER }),
      of('over', { notAfter: new Date(0), state: 'expired' }),
      of('never', { notAfter: null, state: 'failed', problem }),
      of('partly', { problem, notAfter: LATER, uncovered: ['www.partly.example'] }),
      of('two', { problem, notAfter: LATER, uncovered: ['a.example', 'b.example'] }),
    ],
  );
  await shown.sees('The certificate of failed.example could not be renewed');
  expect(shown.items()).toEqual([
    expect.stringMatching(
      /^The certificate of failed.example could not be renewedPort 80 did not answer. It works until/,
    ),
    expect.stringMatching(
      /^The next renewal of the certificate of rehearsed.example would failA CAA record forbids it./,
    ),
    expect.stringMatching(/^The certificate of late.example expires soonIts renewal is late. It works until/),
    expect.stringMatching(/^The certificate of over.example has expiredBrowsers show visitors a warning./),
    expect.stringMatching(/^never.example has no certificate yetPort 80 did not answer./),
    expect.stringMatching(
      /^There is no certificate for www.partly.example yetPort 80 did not answer. The present one works until Feb/,
    ),
    expect.stringMatching(/^There is no certificate for a.example, b.example yetPort 80/),
  ]);
  expect([...shown.page.querySelectorAll('a')][1]?.getAttribute('href')).toBe('/domains/rehearsed');
});

test('a new domain that leads to this computer needs no record, and is named with what it waits for', async () => {
  const records = [recordOf({ value: '127.0.0.1' })];
  using shown = show([domainOf({ records }), domainOf({ id: 'public', name: 'public.example' })], []);
  await shown.sees('public.example needs a record');
  expect(shown.items()).toEqual([
    'shop.example is not public yetThis Fairlead can be reached from its own computer only.See what to do',
    expect.stringContaining('public.example'),
  ]);
});

test('of a domain that is named itself the certificate is not named again', async () => {
  using shown = show([domainOf({ state: 'misconfigured' })], [certificateOf({ domainId: 'shop' })]);
  await shown.sees('shop.example needs attention');
  await expect.poll(() => shown.asked).toHaveLength(2);
  expect(shown.items()).toHaveLength(1);
});

test('of a domain that is named itself the failed check of its deployment is not named again', async () => {
  const failed: DeploymentHealth = {
    deploymentId: 'harbour',
    checks: [{ id: 'url-up', verdict: 'fail', seen: 'It does not answer.' }],
    ...{ checkedAt: LATER, nextCheckAt: LATER },
  };
  const broken = domainOf({ deploymentId: 'harbour', state: 'misconfigured' });
  const second = domainOf({ id: 'b', name: 'b.example', deploymentId: 'quay', state: 'misconfigured' });
  const problem = { code: 'caa_forbids', message: 'A CAA record forbids it.', hint: null, since: AT };
  const forbidden = domainOf({ ...second, id: 'c', name: 'c.example', deploymentId: 'mole', problem });
  const answers: Answers = {
    'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
    'domains.list': () => ({ items: [broken, second, forbidden], nextCursor: null }),
    'certificates.list': () => ({ items: [], localRoot: null }),
  };
  const deployments = [
    deploymentOf({ id: 'harbour' }),
    deploymentOf({ id: 'pier', name: 'pier' }),
    // Of its two domains the one that works is checked.
    deploymentOf({ id: 'quay', name: 'quay', visitUrl: 'https://quay.example' }),
    deploymentOf({ id: 'mole', name: 'mole' }),
  ];
  const health = new Map(deployments.map(({ id }) => [id, { ...failed, deploymentId: id }]));
  using shown = showScreen(<AttentionList {...{ deployments, health, allowance: allowanceOf() }} />, answers);
  await shown.sees('shop.example needs attention');
  const items = [...shown.page.querySelectorAll('li')].map(({ textContent }) => textContent);
  expect(items).toEqual([
    ...['shop', 'b', 'c'].map((name) => expect.stringContaining(`${name}.example needs attention`)),
    ...['pier', 'quay', 'mole'].map((name) => expect.stringContaining(`${name} failed its last check`)),
  ]);
});

test('where nothing waits for the person, nothing is shown', async () => {
  using shown = show([], []);
  await expect.poll(() => shown.asked).toHaveLength(2);
  expect(shown.page.textContent).toBe('');
});

test('a deployment whose last check failed is named with the first that fails, and a warning alone is not', async () => {
  const health = (deploymentId: string, checks: DeploymentHealth['checks']): [string, DeploymentHealth] => [
    deploymentId,
    { deploymentId, checks, checkedAt: LATER, nextCheckAt: LATER },
  ];
  const deployments = [
    deploymentOf({ id: 'down', name: 'down', slug: 'down' }),
    deploymentOf({ id: 'late', name: 'late', slug: 'late' }),
    deploymentOf({ id: 'going', name: 'going', slug: 'going', state: 'deleting' }),
    deploymentOf({ id: 'new', name: 'new', slug: 'new' }),
  ];
  const certificate = { id: 'certificate' as const, verdict: 'fail' as const, seen: 'The certificate has expired.' };
  const up = { id: 'url-up' as const, verdict: 'fail' as const, seen: 'https://down.test does not answer.' };
  const looks = new Map([
    health('down', [certificate, up]),
    health('late', [{ ...certificate, verdict: 'warn' }]),
    health('going', [up]),
  ]);
  using shown = showScreen(<AttentionList deployments={deployments} health={looks} allowance={allowanceOf()} />, {});
  await shown.sees('down failed its last check');
  expect([...shown.page.querySelectorAll('li')].map((item) => item.textContent)).toEqual([
    'down failed its last checkThe certificate has expired.See what to do',
  ]);
  expect(shown.linkTo('See what to do')).toBe('/diagnostics?deployment=down');
});

test('what stands below waits until all is known that may come above it, and then stays', async () => {
  const nothing = { items: [], nextCursor: null };
  let answer = (_list: typeof nothing) => {};
  const waiting = new Promise<typeof nothing>((resolve) => {
    answer = resolve;
  });
  const answers = {
    'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
    'domains.list': () => nothing,
    'certificates.list': () => waiting,
    'subscription.get': () => null,
  };
  function List({ isAskedFirst = false }) {
    const [isAsking, setAsking] = useState(isAskedFirst);
    return (
      <AttentionList deployments={[]} allowance={allowanceOf()} isAsking={isAsking} placeholder="One moment">
        <button type="button" onClick={() => setAsking(true)}>
          The rest
        </button>
      </AttentionList>
    );
  }
  using asking = showScreen(<List isAskedFirst />, { ...answers, 'certificates.list': () => nothing });
  using shown = showScreen(<List />, answers);
  await asking.sees('One moment');
  expect(shown.page.textContent).toBe('One moment');
  answer(nothing);
  await expect.poll(() => shown.page.textContent).toBe('The rest');
  expect(asking.page.textContent).toBe('One moment');
  flushSync(() => shown.button('The rest').click());
  expect(shown.page.textContent).toBe('The rest');
});
