import { afterEach, expect, test, vi } from 'vitest';
import type { Report } from '../../routers/schemas/diagnostics.ts';
import type { Domain } from '../../routers/schemas/domains.ts';
import { UnifiedDeploymentScreen } from '../../src/screens/unified-deployment.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { certificateOf, domainOf, recordOf } from '../support/domain-fixtures.ts';
import { type Answers, refusal, type ShownScreen, showScreen, submit, typeInto } from '../support/screen.tsx';
import {
  allowanceOf,
  deploymentOf,
  releaseDetailOf,
  releaseRefOf,
  shownAt,
  stepOf,
} from '../support/screen-fixtures.ts';

afterEach(() => {
  vi.restoreAllMocks();
  setWaiting(null);
  sessionStorage.clear();
  document.body.replaceChildren();
});

const patiently = <Seen,>(look: () => Seen) => vi.waitFor(look);

/** Returns the server's answers about a live deployment with this domain, or with none. */
function answersFor(domain: Domain | null, more: Answers = {}): Answers {
  return {
    'subscription.allowance': () => allowanceOf(),
    'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
    'deployments.checkAddress': () => ({ wanted: 'harbour', slug: 'harbour' }),
    'deployments.list': () => ({ items: [], nextCursor: null }),
    'deployments.get': () => deploymentOf(),
    'releases.get': () => releaseDetailOf({ steps: [stepOf({ name: 'verifying', state: 'done' })] }),
    'domains.list': () => ({ items: domain === null ? [] : [domain], nextCursor: null }),
    'domains.get': () => domain ?? refusal('not_found', 'There is no such domain.'),
    'domains.checkName': () => ({ name: 'shop.example', counterpart: 'www.shop.example', problem: null }),
    'domains.lastPlan': () => null,
    'certificates.list': () => ({ items: [], localRoot: null }),
    ...more,
  };
}

function showAt(answers: Answers, query: string): ShownScreen {
  const place = { pattern: '/unified-deployment', path: `/unified-deployment${query}` };
  return showScreen(<UnifiedDeploymentScreen />, answers, place);
}

/** The screen in the document, since a form outside of it is not sent. */
function show(answers: Answers, query = ''): ShownScreen {
  const shown = showAt(answers, query);
  document.body.append(shown.page);
  return shown;
}

/** An id of the required form. */
const HARBOUR = 'harbour0000000000000';

/** The deployment as a reload finds it: nothing but its id is in the address. */
const showAfterReload = (answers: Answers) => showAt(answers, '?deployment=harbour');

function stage({ page }: ShownScreen, title: string): { text: string; mark: string | null | undefined } {
  const items = [...page.querySelectorAll('[aria-label="Pipeline"] > li')];
  const item = items.find((one) => one.querySelector('h2')?.textContent === title);
  if (item === undefined) throw new Error(`There is no stage ${title}.`);
  return { text: item.textContent ?? '', mark: item.querySelector('[role=img]')?.getAttribute('aria-label') };
}

async function chooseHarbour(shown: ShownScreen): Promise<void> {
  setWaiting({ name: 'harbour', files: [{ path: 'index.html', file: new File(['<h1>Harbour</h1>'], 'index.html') }] });
  await shown.sees('1 file, 16 B');
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
}

test('what is known against a domain is told at its field, and nothing is made', async () => {
  const create = vi.fn(() => new Promise(() => undefined));
  const problem = 'co.uk is an ending that many domains share. Type the whole name, like example.co.uk.';
  const checkName = () => ({ name: 'co.uk', counterpart: null, problem });
  using shown = show(answersFor(null, { 'deployments.create': create, 'domains.checkName': checkName }));
  await chooseHarbour(shown);
  const field = typeInto(shown.page, 'domain', 'co.uk');
  await shown.sees(problem);
  shown.button('Publish').click();
  await patiently(() => expect(document.activeElement).toBe(field));

  typeInto(shown.page, 'domain', 'not a domain');
  shown.button('Publish').click();
  await shown.sees('Type a domain name like example.com');
  expect(create).not.toHaveBeenCalled();
});

test('a deployment is made without a domain, or with one that is added before anything is sent', async () => {
  for (const [typed, added] of [
    ['', []],
    ['HTTPS://Shop.Example/menu', [{ deploymentId: 'quay', name: 'shop.example' }]],
  ] as const) {
    const add = vi.fn((_input: unknown) => domainOf());
    const made = { 'deployments.create': () => deploymentOf({ name: 'quay' }), 'domains.add': add };
    using shown = show(answersFor(null, made));
    await chooseHarbour(shown);
    typeInto(shown.page, 'domain', typed);
    shown.button('Publish').click();
    await patiently(() => expect(location.search).toBe('?deployment=quay'));
    expect(add.mock.calls.map(([input]) => input)).toEqual(added);
    setWaiting(null);
  }
});

test('a domain that is refused after the deployment was made is asked for again, and its files are sent', async () => {
  const message = 'An account can have 50 domains that you have not proved to be yours.';
  const refused = () => refusal('domain_limit_reached', message);
  const made = { 'deployments.create': () => deploymentOf({ name: 'mole' }), 'domains.add': refused };
  vi.spyOn(globalThis, 'fetch').mockReturnValue(new Promise(() => {}));
  using shown = show(answersFor(null, made));
  await chooseHarbour(shown);
  typeInto(shown.page, 'domain', 'shop.example');
  shown.button('Publish').focus();
  shown.button('Publish').click();
  await patiently(() => expect(location.search).toBe('?deployment=mole&domain=shop.example'));
  await patiently(() => expect(document.activeElement?.textContent).toBe('Release 1'));
  await shown.sees('shop.example was not added. Your site is published all the same');
  await shown.sees('Keep this tab open for now.');
  expect(shown.page.querySelector('header')?.textContent).toBe('All-in-One DeploymentPublishing');
});

test('a typed domain moves nothing above it, makes a new deployment the first choice, and is kept on the other way', async () => {
  const list = () => ({ items: [deploymentOf()], nextCursor: null });
  setWaiting({ name: 'harbour', files: [{ path: 'index.html', file: new File(['<h1>Harbour</h1>'], 'index.html') }] });
  const answers = answersFor(null, { 'deployments.list': list });
  {
    using shown = show(answers);
    await shown.sees('Publish as new release of harbour…');
    const filled = () => shown.page.querySelector('form [data-variant=primary]')?.textContent;
    expect(filled()).toBe('Publish as new release of harbour…');
    const places = () =>
      [...shown.page.querySelectorAll('[role=radiogroup] label')].map(
        (row) => row.querySelector<HTMLInputElement>('input')?.value,
      );
    await shown.sees('Why the built-in host is easiest to try');
    const before = places();
    typeInto(shown.page, 'domain', 'shop.example');
    await patiently(() => expect(filled()).toBe('Publish as new deployment harbour-2'));
    expect(shown.page.textContent).toContain('Only the new deployment gets your domain.');
    // Above the field that is being typed in nothing moves: what fits best now is marked.
    await shown.sees('Netlify Recommended');
    expect(places()).toEqual(before);
    const there = [...shown.page.querySelectorAll('a')].find((one) =>
      one.textContent?.startsWith('Publish as new release'),
    );
    there?.click();
  }
  using again = show(answers);
  await again.sees('Domain of your own');
  expect(again.page.querySelector<HTMLInputElement>('input[name=domain]')?.value).toBe('shop.example');
});

test('a platform that takes no domains here says so in the place of the field', async () => {
  using shown = show(answersFor(null), '?platform=replit');
  await shown.sees('Domains of a deployment on Replit are added at Replit itself.');
  expect(shown.page.querySelector('input[name=domain]')).toBeNull();
});

test('a domain that could not be added fails nothing, and its stage asks for it again', async () => {
  const message = 'You have already added shop.example and www.shop.example for Pier.';
  const fieldErrors = { name: message };
  const answers = answersFor(null, {
    // Its page is not framed.
    'releases.get': () => releaseDetailOf({ platform: 'netlify' }),
    'domains.add': () => refusal('validation_failed', message, { fieldErrors }),
  });
  using shown = show(answers, `?deployment=${HARBOUR}&domain=shop.example`);
  await shown.sees('shop.example was not added. Your site is published all the same');
  await patiently(() => expect(shown.button('Add domain')).toBeDefined());
  expect(shown.page.textContent).toContain('Domain waits for you');
  expect(shown.page.textContent).toContain('harbour is live');
  const titles = [...shown.page.querySelectorAll('h2')].map(({ textContent }) => textContent);
  expect(
    titles.filter((title) => title?.includes('harbour')),
    'the name stands above once',
  ).toEqual(['harbour is live']);
  const field = shown.page.querySelector<HTMLInputElement>('input[name=name]');
  expect(field?.value).toBe('shop.example');
  field?.form?.requestSubmit();
  await shown.sees(message);

  const add = vi.fn((_input: unknown) => domainOf());
  answers['domains.add'] = add;
  await submit(typeInto(shown.page, 'name', 'quay.example').form);
  await patiently(() => expect(add.mock.calls[0]?.[0]).toEqual({ deploymentId: HARBOUR, name: 'quay.example' }));
});

test('without a domain the site is complete, and one can be added later', async () => {
  using shown = showAfterReload(answersFor(null));
  await shown.sees('None yet: the site answers at its own address.');
  await shown.sees('5 of 5 stages done');
  await patiently(() => expect(shown.button('Add a domain')).toBeDefined());
  expect(stage(shown, 'Publish').text).toContain('Nothing left to send.');
  expect(stage(shown, 'Certificate').mark).toBe('Nothing to do');
});

test('the platform is the one that was chosen, and an address that it has not named yet is no stage', async () => {
  const there = { platform: 'netlify', url: '' } as const;
  using shown = showAfterReload(
    answersFor(null, {
      'deployments.get': () => deploymentOf(there),
      'releases.get': () => releaseDetailOf({ ...there, state: 'uploading' }),
    }),
  );
  await shown.sees('The address comes from Netlify');
  expect(stage(shown, 'Publish').text).toContain('You can close this tab.');
  expect(stage(shown, 'Platform').text).toBe('PlatformNetlify');
  expect(stage(shown, 'Address')).toEqual({ text: '3AddressThe address comes from Netlify', mark: undefined });
});

test('a platform that was added later is named with its state, and the whole waits for what it waits for', async () => {
  const places = [{ platform: 'built-in' }, { platform: 'replit', state: 'waiting' }] as const;
  const destinations = places.map((place) => ({
    ...{ id: place.platform, url: '', error: null, state: 'live' as const },
    ...place,
  }));
  using shown = showAfterReload(answersFor(null, { 'deployments.get': () => deploymentOf({ destinations }) }));
  await shown.sees('Platform waits for you');
  expect(stage(shown, 'Platform').text).toBe('2PlatformBuilt-in hostReplit: Waiting for you');
  expect(shown.linkTo('Replit')).toBe('/deployments/harbour');
});

test('what a platform leaves to the person leads to the page that says how to finish it', async () => {
  const place = { id: 'd'.repeat(20), platform: 'replit', url: '', state: 'waiting', error: null, missingLinks: [] };
  const release = releaseDetailOf({ state: 'processing', platform: 'replit', url: '', destinations: [place] as never });
  using shown = showAfterReload(answersFor(null, { 'releases.get': () => release }));
  await shown.sees('Finish at Replit');
  expect(shown.linkTo('Finish at Replit')).toBe('/deployments/harbour/releases/3');
});

test('the pipeline ends with the report, which is found again after a reload', async () => {
  const reportOf = (state: 'running' | 'done'): Report => ({
    ...{ id: 'r'.repeat(20), state, name: 'harbour.localhost', deploymentId: 'harbour', cause: null, checkCount: 3 },
    ...{ checks: [], isWhole: true, startedAt: shownAt, finishedAt: null, changes: [], since: null, sharedUntil: null },
  });
  const run = vi.fn((_input: unknown) => ({ reportId: 'r'.repeat(20) }));
  let state: 'running' | 'done' = 'running';
  const kept: { id: string }[] = [];
  const answers = answersFor(null, {
    'diagnostics.list': () => ({ items: kept }),
    'diagnostics.run': run,
    'diagnostics.get': () => reportOf(state),
  });
  using shown = showAfterReload(answers);
  await shown.sees('Checking harbour.localhost…');
  state = 'done';
  await shown.sees('harbour.localhost could not be checked from here');
  expect(shown.page.querySelector('[aria-label="Report of harbour.localhost"] time')).not.toBe(null);
  expect(shown.linkTo('Open the report')).toBe(`/diagnostics?deployment=harbour&report=${'r'.repeat(20)}`);

  kept.push({ id: 'r'.repeat(20) });
  using again = showAfterReload(answers);
  await again.sees('harbour.localhost could not be checked from here');
  expect(run.mock.calls.map(([input]) => input)).toEqual([{ deploymentId: 'harbour' }]);
});

test('while a domain waits for its owner, the checks are one press away', async () => {
  const run = vi.fn((_input: unknown) => ({ reportId: 'r'.repeat(20) }));
  const answers = answersFor(domainOf({ state: 'pending_dns' }), {
    'diagnostics.list': () => ({ items: [] }),
    'diagnostics.run': run,
    'diagnostics.get': () => refusal('not_found', 'There is no such report.'),
  });
  using shown = showAfterReload(answers);
  await patiently(() => expect(stage(shown, 'Diagnostics').text).toMatch(/What next.*Run all checks/));
  expect(run).not.toHaveBeenCalled();
  shown.button('Run all checks').click();
  await patiently(() => expect(run).toHaveBeenCalledTimes(1));
});

test('before something is live there is no report to make', async () => {
  const at = { currentRelease: null, latestRelease: releaseRefOf({ state: 'failed' }) };
  const failed = {
    'deployments.get': () => deploymentOf(at),
    'releases.get': () => releaseDetailOf({ state: 'failed' }),
  };
  using shown = showAfterReload(answersFor(null, failed));
  await patiently(() => expect(stage(shown, 'Diagnostics')).toBeDefined());
  expect(shown.page.textContent).not.toContain('Run all checks');
});

test('on a host that nobody else reaches the records are folded away beside the words not to create them', async () => {
  const problem = { code: 'not_registered', message: 'It is not registered.', hint: 'Register it.', since: new Date() };
  const records = [recordOf({ value: '127.0.0.1' })];
  const run = vi.fn(() => ({ reportId: 'r'.repeat(20) }));
  const noReport = () => refusal('not_found', 'There is no such report.');
  const reports = { 'diagnostics.list': () => ({ items: [] }), 'diagnostics.run': run, 'diagnostics.get': noReport };
  using shown = showAfterReload(answersFor(domainOf({ state: 'unverified', records, problem }), reports));
  await shown.sees('Do not create these records');
  expect(shown.page.textContent).not.toContain('not registered');
  expect(shown.page.textContent).not.toContain('Create these records where');
  const table = await patiently(() => shown.page.querySelector('table') ?? expect.fail('There is no table.'));
  expect(table.closest('details')?.open).toBe(false);

  // Nothing here waits for the person, and the checks are made of what is live.
  await shown.sees('5 of 5 stages done');
  expect(shown.page.textContent).not.toContain('waits for you');
  expect(stage(shown, 'Domain').text).toContain('On hold until this Fairlead is public.');
  expect(stage(shown, 'Diagnostics')).toMatchObject({ mark: 'Done', text: expect.not.stringContaining('serves your') });
  await patiently(() => expect(run).toHaveBeenCalledWith({ deploymentId: 'harbour' }, undefined));
});

test('what stands beside the records is told with what to do with them', async () => {
  const problem = { code: 'caa_forbids', message: 'CAA records forbid it.', hint: 'Add one.', since: new Date() };
  using shown = showAfterReload(answersFor(domainOf({ problem })));
  await shown.sees('Create these records where your domain is managed. CAA records forbid it. Add one.');
});

test('after a reload the records that are missing are there to be copied and looked for', async () => {
  const proof = recordOf({ type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc', state: 'ok' });
  using shown = showAfterReload(answersFor(domainOf({ records: [proof, recordOf()] })));
  await shown.sees('1 of 2 records seen');
  await shown.sees('5 of 8 stages done');
  expect(shown.page.textContent).toContain('DNS waits for you');
  expect(stage(shown, 'Domain')).toMatchObject({ mark: 'Done' });
  expect(stage(shown, 'Certificate').text).toContain('once the domain points here');
  expect(shown.button('Copy the value 203.0.113.7')).toBeDefined();
  expect(shown.button('Check now')).toBeDefined();
});

test('a domain that is active with its certificate ends the pipeline', async () => {
  const servedName = 'www.xn--caf-dma.example';
  const names = { name: 'xn--caf-dma.example', unicodeName: 'café.example', servedName };
  const counterpart = servedName;
  const active = domainOf({ state: 'active', ...names, counterpart, records: [recordOf({ state: 'ok' })] });
  const issued = () => ({ items: [certificateOf()], localRoot: null });
  const visited = () => deploymentOf({ visitUrl: 'https://shop.example' });
  using shown = showAfterReload(answersFor(active, { 'certificates.list': issued, 'deployments.get': visited }));
  await shown.sees('8 of 8 stages done');
  expect(stage(shown, 'Certificate').text).toContain("Issued by Let's Encrypt, valid until");
  expect(stage(shown, 'Diagnostics').text).toContain('www.café.example serves your site');
  expect(stage(shown, 'Domain').text).toContain('café.example with www as its main name');
  expect(shown.linkTo('Visit')).toBe('https://shop.example');
});

test('of a domain at a platform the certificate stage says what the platform says of it', async () => {
  const ok = { state: 'ok', code: 'attached', text: 'Netlify has this domain for this deployment.' } as const;
  const expiresAt = new Date('2027-02-20T12:00:00Z');
  for (const [certificate, mark, text] of [
    [{ ...ok, text: 'Netlify has a certificate for this domain.', expiresAt }, 'Done', 'It expires on Feb 20, 2027.'],
    [{ ...ok, state: 'problem', text: 'Netlify could not issue it.', expiresAt: null }, 'Failed', 'could not issue it'],
    [
      { ...ok, state: 'waiting', text: 'It is on its way.', expiresAt: null },
      'Nothing to do',
      'renews it automatically',
    ],
  ] as const) {
    const said = [{ name: 'shop.example', ownership: ok, dns: ok, certificate }];
    const atPlatform = { platform: 'netlify' as const, answers: said, steps: [], askedAt: null };
    const active = domainOf({ state: 'active', atPlatform, records: [recordOf({ state: 'ok' })] });
    const at = { 'deployments.get': () => deploymentOf({ platform: 'netlify' }) };
    // Its page is not framed.
    const release = { 'releases.get': () => releaseDetailOf({ platform: 'netlify' }) };
    using shown = showAfterReload(answersFor(active, { ...at, ...release }));
    await shown.sees(text);
    expect(stage(shown, 'Certificate')).toMatchObject({ mark, text: expect.stringContaining(text) });
  }
});

test('what stands in the way of a domain is told at its stage, and the site stays live', async () => {
  const at = new Date('2026-11-20T12:00:00Z');
  const moved = {
    code: 'changed',
    message: 'The A record was changed.',
    hint: 'See https://a.example/dns.',
    since: at,
  };
  const refused = { type: 'caa', message: 'A CAA record forbids it.', detail: null, link: null, at };
  const failed = certificateOf({ state: 'failed', notAfter: null, problem: refused, nextTryAt: at });
  const active = domainOf({ state: 'active', records: [recordOf({ state: 'ok' })] });
  for (const [domain, certificates, title, text] of [
    [domainOf({ state: 'misconfigured', problem: moved }), [], 'DNS', 'The A record was changed. See a.example/dns.'],
    [
      domainOf({ state: 'unverified', lostTo: 'another account' }),
      [],
      'Domain',
      'Another account has proved that it owns this',
    ],
    [active, [failed], 'Certificate', 'A CAA record forbids it. Next try'],
  ] as const) {
    const list = () => ({ items: certificates, localRoot: null });
    const renew = vi.fn(() => refusal('not_found', 'It is gone.'));
    using shown = showAfterReload(answersFor(domain, { 'certificates.list': list, 'certificates.renew': renew }));
    await shown.sees(text);
    expect(stage(shown, title)).toMatchObject({ mark: 'Failed' });
    expect(shown.page.textContent).toContain(`${title} needs attention`);
    expect(shown.page.textContent).toContain('harbour is live');
    if (title !== 'Certificate') continue;
    await shown.sees('Try now');
    shown.button('Try now').click();
    await vi.waitFor(() => expect(renew).toHaveBeenCalledWith({ certificateId: failed.id }, undefined));
  }
});
