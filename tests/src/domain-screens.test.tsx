import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import type { CheckId, Report } from '../../routers/schemas/diagnostics.ts';
import type { RecordPlan } from '../../routers/schemas/domains.ts';
import { DomainScreen } from '../../src/screens/domain.tsx';
import { DomainsScreen } from '../../src/screens/domains.tsx';
import { domainAnswers, DOMAIN_PLACE as PLACE } from '../support/domain-answers.ts';
import { answerOf, domainOf, recordOf } from '../support/domain-fixtures.ts';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';
import { allowanceOf } from '../support/screen-fixtures.ts';

const AT = new Date('2026-11-20T12:00:00Z');
/** A followed domain is requested again every few seconds, at the latest after these. */
const LOOK_AGAIN_MS = 5_000;

afterEach(() => void vi.useRealTimers());

/** From here on the screen asks again when the test says so. */
function holdLooks(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: AT });
}

test('a record that the domain does without is shown to be copied, and not counted', async () => {
  const persistent = recordOf({
    ...{ type: 'TXT', name: '_validation-persist.shop.example', value: 'ca.example; accounturi=1' },
    ...{ purpose: 'certificate', required: false },
  });
  const records = [recordOf({ state: 'ok' }), persistent];
  using shown = showScreen(<DomainScreen />, domainAnswers(domainOf({ state: 'active', records })), PLACE);
  await shown.sees('1 of 1 record seen');
  expect(shown.rows('Records')[1]).toMatch(/Optional: lets the certificate be renewed .*Optional$/);
  expect(shown.button('Copy the value ca.example; accounturi=1')).toBeDefined();
  expect(shown.page.textContent).not.toContain('Let Fairlead write these records');
});

test('nothing is shown before it is known what stands on top: it would push the rest from under the pointer', async () => {
  let isKnown = false;
  const wasKnown: boolean[] = [];
  const answers = domainAnswers(domainOf());
  answers['domains.lastPlan'] = async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    isKnown = true;
    return null;
  };
  answers['certificates.list'] = () => {
    wasKnown.push(isKnown);
    return { items: [], localRoot: null };
  };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Visitors see');
  await vi.waitFor(() => expect(wasKnown[0]).toBe(true));
});

test('what was not looked at yet is neither wrong nor right', async () => {
  using shown = showScreen(<DomainScreen />, domainAnswers(domainOf({ checkedAt: null })), PLACE);
  await shown.sees('Not checked yet');
});

test('a host that nobody else reaches warns of its own records', async () => {
  const local = domainOf({ ...gone, state: 'pending_dns', records: [recordOf({ value: '127.0.0.1' })] });
  using shown = showScreen(<DomainScreen />, domainAnswers(local), PLACE);
  await shown.sees('Do not create these records at a public DNS provider');
  expect(shown.page.querySelectorAll('[data-notice]'), 'one cause, one next step').toHaveLength(1);
  const fold = shown.button('Copy the value 127.0.0.1').closest('details');
  expect(fold?.open, 'below that warning, nothing asks for them').toBe(false);
  using open = showScreen(<DomainScreen />, domainAnswers(domainOf()), PLACE);
  await open.sees('Visitors see');
  expect(open.button('Copy the value 203.0.113.7').closest('details')).toBeNull();
});

test('a domain that was removed elsewhere is told so where it is open', async () => {
  holdLooks();
  const answers = domainAnswers(domainOf({ nextCheckAt: AT }));
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Waiting for DNS');
  answers['domains.get'] = () => refusal('not_found', 'There is no such domain.');
  vi.advanceTimersByTime(LOOK_AGAIN_MS);
  await shown.sees('This domain does not exist');
  expect(shown.linkTo('See your domains')).toBe('/domains');
});

test('Check now looks at once and shows what was seen', async () => {
  const answers = domainAnswers(domainOf());
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Waiting for DNS');
  answers['domains.check'] = () => domainOf({ state: 'active', records: [recordOf({ state: 'ok' })] });
  shown.button('Check now').click();
  await shown.sees('Active');
});

test('what another hand changed is told with the way to mend it', async () => {
  const problem = { code: 'wrong_address', message: 'shop.example leads elsewhere', hint: 'Set it back.', since: AT };
  using shown = showScreen(<DomainScreen />, domainAnswers(domainOf({ state: 'misconfigured', problem })), PLACE);
  await shown.sees('shop.example leads elsewhere');
  expect(shown.page.textContent).toContain('Set it back.');
  expect(shown.page.textContent).toContain('Needs attention');
});

test('a domain that works is not green while something is in its way', async () => {
  const problem = { code: 'proof_gone', message: 'The proof is gone.', hint: 'Add it again.', since: AT };
  using shown = showScreen(<DomainsScreen />, domainAnswers(domainOf({ state: 'active', problem })));
  await shown.sees('Has a warning');
  expect(shown.page.textContent).not.toContain('Active');
});

const gone = domainOf({
  state: 'misconfigured',
  problem: { code: 'records_changed', message: 'The A record of shop.example is gone.', hint: 'Set it.', since: AT },
  records: [recordOf({}), recordOf({ type: 'CNAME', name: 'www.shop.example', value: 'shop.example', state: 'ok' })],
});
const withDns = {
  'connections.list': () => ({
    items: [{ id: 'dns', kind: 'dns', state: 'ok', provider: 'cloudflare', identity: 'shop', lostZones: [] }],
    signIn: [],
    tokenPages: {},
  }),
};

test('without a DNS connection exactly the records to set stand apart, with what to copy', async () => {
  using shown = showScreen(<DomainScreen />, domainAnswers(gone), PLACE);
  await shown.sees('The A record of shop.example is gone.');
  await shown.sees('Connect a DNS provider');
  expect(shown.page.textContent?.match(/record of shop.example is gone/g)).toHaveLength(1);
  expect(shown.rows('Records to set')).toEqual([expect.stringContaining('203.0.113.7')]);
  expect(shown.rows('Records')).toEqual([expect.stringContaining('CNAME')]);
  expect(shown.button('Copy the value 203.0.113.7')).toBeDefined();
});

test('Fix it shows the change that mends the drift, and writes it with one click', async () => {
  const set = { ttl: 300, values: ['203.0.113.7'] };
  const plan: RecordPlan = {
    ...{ planId: 'plan', connectionId: 'dns', zone: 'shop.example', state: 'planned', error: null, conflicts: [] },
    changedAt: AT,
    changes: [{ action: 'add', type: 'A', name: 'shop.example', before: null, after: set }],
  };
  const planned = vi.fn(() => plan);
  const written = vi.fn(() => ({ ...plan, state: 'applied' }));
  const answers = { ...domainAnswers(gone), ...withDns, 'domains.plan': planned, 'domains.applyPlan': written };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Fix it');
  shown.button('Fix it').click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('Write 1 record'));
  expect(written).not.toHaveBeenCalled();
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Write 1 record')?.click();
  await shown.sees('The records are written');
  expect(planned.mock.lastCall).toMatchObject([{ domainId: 'shop' }, undefined]);
  expect(written.mock.lastCall).toMatchObject([{ planId: 'plan' }, undefined]);
});

test('a zone at a provider that is not connected is told in its place, with the records to set', async () => {
  const elsewhere = () => refusal('zone_not_found', 'None of your DNS connections holds it.', { hint: 'Connect it.' });
  const answers = { ...domainAnswers(gone), ...withDns, 'domains.plan': elsewhere };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Fix it');
  shown.button('Fix it').click();
  await shown.sees('None of your DNS connections holds it.');
  expect(shown.linkTo('Connect a DNS provider')).toBe('/settings');
  expect(shown.rows('Records to set')).toHaveLength(1);
});

test('a certificate that another hand has put there leads to who answers, since no record mends it', async () => {
  const replaced = { code: 'certificate_replaced', message: 'Visitors get another certificate.', hint: 'x', since: AT };
  const domain = domainOf({ state: 'misconfigured', problem: replaced, records: [recordOf({ state: 'ok' })] });
  using shown = showScreen(<DomainScreen />, { ...domainAnswers(domain), ...withDns }, PLACE);
  await shown.sees('Visitors get another certificate.');
  expect(shown.linkTo('See which server answers')).toBe(`/diagnostics?deployment=${domain.deploymentId}`);
});

test('the way from the name to the page shows each link with what was seen of it', async () => {
  const seen = [answerOf('ns1', ['203.0.113.7']), answerOf('ns2', null)];
  const domain = domainOf({ state: 'active', checkedAt: AT, records: [recordOf({ state: 'ok', seen })] });
  const check = (id: CheckId, verdict: 'pass' | 'fail', text: string): Report['checks'][number] => ({
    ...{ id, verdict, seen: text, why: '', fix: null, because: null, repair: null, asked: [], tookMs: 1 },
  });
  const report: Report = {
    ...{ id: 'report', state: 'done', name: domain.servedName, deploymentId: domain.deploymentId, cause: 'url-up' },
    checks: [check('port-80', 'pass', 'It answers here.'), check('url-up', 'fail', 'It answers 502.')],
    ...{ checkCount: 2, isWhole: true, startedAt: AT, finishedAt: AT, changes: [], since: null, sharedUntil: null },
  };
  const run = vi.fn(() => ({ reportId: 'second' }));
  const answers = {
    ...domainAnswers(domain),
    // A report on a name knows no deployment.
    'diagnostics.list': (input: unknown) => ({
      items: (input as { name?: string }).name === domain.servedName ? [report] : [],
    }),
    'diagnostics.get': () => report,
    'diagnostics.run': run,
  };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('It answers 502.');
  const links = [...shown.page.querySelectorAll('[aria-label="Checks"] li')].map(({ textContent }) => textContent);
  expect(links).toEqual([
    expect.stringContaining('ns1 answered, and ns2 did not.'),
    expect.stringContaining('Its records point to this deployment.'),
    expect.stringContaining('It answers here.'),
    expect.stringContaining('Not issued yet.'),
    expect.stringContaining('It answers 502.'),
  ]);

  shown.button('Check from outside').click();
  await vi.waitFor(() => expect(run.mock.lastCall).toMatchObject([{ name: domain.servedName }, undefined]));
});

test('when nothing could be asked from here, neither the name servers nor the records are said to fail', async () => {
  const problem = { code: 'lookup_failed', message: 'It could not be checked.', hint: null, since: AT };
  for (const state of ['active', 'misconfigured'] as const) {
    using shown = showScreen(<DomainScreen />, domainAnswers(domainOf({ state, problem })), PLACE);
    await shown.sees('Name servers');
    expect(shown.rows('Checks').slice(0, 2)).toEqual([
      expect.stringMatching(/^No resultName serversCould not be checked from here\./),
      expect.stringMatching(/^No resultDNS resolutionSee above/),
    ]);
  }
});

test('that the zone is no longer at its connection is told before anything is written there', async () => {
  const text = 'Your connection to Cloudflare (shop) no longer holds shop.example.';
  const { items, ...rest } = withDns['connections.list']();
  const lost = { items: items.map((one) => ({ ...one, lostZones: [{ name: 'shop.example', text }] })), ...rest };
  using shown = showScreen(<DomainScreen />, { ...domainAnswers(domainOf({})), 'connections.list': () => lost }, PLACE);
  await shown.sees(text);
});

test('whoever has no plan is told what was changed, without an act', async () => {
  const answers = {
    ...domainAnswers(gone),
    'subscription.allowance': () => allowanceOf({ plan: 'free', remaining: 0 }),
  };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('The A record of shop.example is gone.');
  await vi.waitFor(() => expect(shown.page.textContent).not.toContain('Connect a DNS provider'));
});

test('a claim that was lost says so, and shows the proof that takes the name back', async () => {
  const proof = recordOf({ type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc', purpose: 'proof' });
  const lost = domainOf({
    state: 'unverified',
    lostTo: 'another account',
    records: [proof, recordOf({ value: '127.0.0.1' })],
  });
  using shown = showScreen(<DomainScreen />, domainAnswers(lost), PLACE);
  await shown.sees('If the domain is yours, replace the other account’s TXT record with the one below.');
  expect(shown.button('Copy the value fairlead=abc')).toBeDefined();
  expect(shown.rows('Records')).toHaveLength(1);
  expect(shown.button('Check now')).toBeDefined();
  expect(shown.page.textContent).not.toContain('Visitors see');
  expect(shown.page.textContent).not.toContain('Do not create these records');
});

test('a domain that is not there is an error with the way back', async () => {
  const answers = {
    ...domainAnswers(domainOf()),
    'domains.get': () => refusal('not_found', 'There is no such domain.'),
  };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('This domain does not exist');
  expect(shown.linkTo('See your domains')).toBe('/domains');
  expect(shown.linkTo('Domains')).toBe('/domains');
});

const PLAN: RecordPlan = {
  planId: 'plan',
  connectionId: 'dns',
  zone: 'shop.example',
  state: 'planned',
  error: null,
  changes: [
    {
      action: 'replace',
      type: 'A',
      name: 'shop.example',
      before: { ttl: 300, values: ['198.51.100.9'] },
      after: { ttl: 300, values: ['203.0.113.7'] },
    },
  ],
  conflicts: [],
  changedAt: AT,
};

/** A domain whose zone a DNS connection holds. */
const connected = (): Answers => ({
  ...domainAnswers(domainOf()),
  'connections.list': () => ({
    items: [{ id: 'dns', kind: 'dns', state: 'ok', provider: 'cloudflare', identity: 'shop', lostZones: [] }],
    signIn: [],
    tokenPages: {},
  }),
  'domains.plan': () => PLAN,
});

test('the domain’s own provider is offered with what its link writes, before the link is opened', async () => {
  const url = 'https://provider.example/apply?sig=1';
  const records = [{ type: 'A', name: 'shop.example', value: '203.0.113.7' }];
  const offer = { providerName: 'Provider for people', url, records };
  using shown = showScreen(
    <DomainScreen />,
    { ...domainAnswers(domainOf()), 'domains.setupOffer': () => offer },
    PLACE,
  );
  await shown.sees('Set up at Provider for people');
  expect(shown.page.textContent).not.toContain('Connect a DNS provider');
  shown.button('Set up at Provider for people').click();
  const link = () =>
    [...document.querySelectorAll('a')].find(({ textContent }) => textContent?.startsWith('Continue to Provider'));
  await vi.waitFor(() => expect(link()?.href).toBe(url), 10_000);
  const dialog = document.querySelector('[role="dialog"]')?.textContent;
  for (const text of ['A shop.example', '203.0.113.7', 'provider.example']) expect(dialog).toContain(text);
});

test('without an offer a DNS provider is to be connected', async () => {
  const asked = vi.fn(() => null);
  using shown = showScreen(<DomainScreen />, { ...domainAnswers(domainOf()), 'domains.setupOffer': asked }, PLACE);
  await vi.waitFor(() => expect(asked).toHaveBeenCalled());
  expect(shown.linkTo('Connect a DNS provider')).toBe('/settings');
});

/** Opens the plan, and presses its button. */
async function write(shown: ReturnType<typeof showScreen>): Promise<void> {
  await shown.sees('Set up for me');
  shown.button('Set up for me').click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('198.51.100.9'));
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Write 1 record')?.click();
}

test('records are shown as they will be before they are written, and can be put back', async () => {
  const answers = connected();
  const written = vi.fn(() => {
    answers['domains.lastPlan'] = () => ({ ...PLAN, state: 'applied' });
    return { ...PLAN, state: 'applied' };
  });
  const undone = vi.fn(() => ({ ...PLAN, state: 'undone' }));
  Object.assign(answers, { 'domains.applyPlan': written, 'domains.undoPlan': undone });
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Set up for me');
  expect(written).not.toHaveBeenCalled();
  await write(shown);
  await shown.sees('The records are written');
  await pressUndo(shown);
  await vi.waitFor(() => expect(undone).toHaveBeenCalledOnce());
});

/** Undoes in the dialog that asks first. */
async function pressUndo(shown: ReturnType<typeof showScreen>): Promise<void> {
  shown.button('Undo').click();
  await vi.waitFor(() => {
    const buttons = [...document.querySelectorAll<HTMLElement>('[role="alertdialog"] button')];
    expect(buttons.find(({ textContent }) => textContent === 'Undo')?.click()).toBeUndefined();
    expect(buttons).not.toHaveLength(0);
  }, 10_000);
}

test('a change can be left out of the plan; without one there is nothing to write', async () => {
  const answers = connected();
  const after = { ttl: 300, values: ['shop.example.'] };
  const www = { action: 'add', type: 'CNAME', name: 'www.shop.example', before: null, after } as const;
  const written = vi.fn((_input: unknown) => ({ ...PLAN, state: 'applied' }));
  const plan = { ...PLAN, changes: [...PLAN.changes, www] };
  Object.assign(answers, { 'domains.plan': () => plan, 'domains.applyPlan': written });
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Set up for me');
  shown.button('Set up for me').click();
  const boxes = () => [...document.querySelectorAll<HTMLElement>('[role="dialog"] [role="checkbox"]')];
  const submit = () => document.querySelector<HTMLButtonElement>('[role="dialog"] [type="submit"]');
  await vi.waitFor(() => expect(submit()?.textContent).toBe('Write 2 records'), 10_000);
  for (const box of boxes()) flushSync(() => box.click());
  expect([submit()?.disabled, document.body.textContent]).toEqual([
    true,
    expect.stringContaining('No change is chosen'),
  ]);
  flushSync(() => boxes()[0]?.click());
  expect(submit()?.textContent).toBe('Write 1 record');
  submit()?.click();
  await vi.waitFor(() => expect(written).toHaveBeenCalledOnce());
  expect(written.mock.calls[0]?.[0]).toEqual({ planId: PLAN.planId, leave: ['www.shop.example'] });
});

test('what a slow provider is still writing is shown in every tab, and so is what has failed', async () => {
  holdLooks();
  const answers = connected();
  answers['domains.lastPlan'] = () => ({ ...PLAN, state: 'applying' });
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('The records are being written…');
  expect(shown.page.textContent).not.toContain('Set up for me');
  const error = { message: 'Route 53 did not respond as expected.', hint: 'Try again.' };
  answers['domains.lastPlan'] = () => ({ ...PLAN, state: 'failed', error });
  vi.advanceTimersByTime(LOOK_AGAIN_MS);
  await shown.sees('The records were not written');
  expect(shown.page.textContent).toContain('Route 53 did not respond as expected. Try again.');
  expect(shown.button('Try again')).toBeDefined();
  expect(shown.button('Set up for me')).toBeDefined();
});

test('a change that is being put back, or could not be, is not taken for one that is written', async () => {
  holdLooks();
  const answers = connected();
  answers['domains.lastPlan'] = () => ({ ...PLAN, state: 'undoing' });
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('The change is being undone…');
  const error = { message: 'The A records of shop.example were changed in the meantime.', hint: null };
  answers['domains.lastPlan'] = () => ({ ...PLAN, state: 'applied', error });
  vi.advanceTimersByTime(LOOK_AGAIN_MS);
  await shown.sees('The change was not undone');
  // The records of the plan count as on their way: nothing else on the page would plan.
  shown.button('Work out the changes again').click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('Write 1 record'), 10_000);
});

test('a plan that another tab has replaced is made anew instead of being an error', async () => {
  const answers = connected();
  answers['domains.applyPlan'] = () => refusal('not_found', 'This plan does not exist.');
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Set up for me');
  const newer = {
    ...PLAN,
    planId: 'newer',
    changes: [{ ...PLAN.changes[0], before: { ttl: 300, values: ['192.0.2.77'] } }],
  };
  const planned = vi.fn(() => (planned.mock.calls.length > 1 ? newer : PLAN));
  answers['domains.plan'] = planned;
  await write(shown);
  await vi.waitFor(() => expect(document.body.textContent).toContain('192.0.2.77'));
  expect(document.body.textContent).toContain('Write 1 record');
});

test('records that were written before a reload can still be put back', async () => {
  const after = { ttl: 300, values: ['203.0.113.7'] };
  const written: RecordPlan = {
    ...{ planId: 'plan', connectionId: 'dns', zone: 'shop.example', state: 'applied', error: null, conflicts: [] },
    changedAt: AT,
    changes: [{ action: 'add', type: 'A', name: 'shop.example', before: null, after }],
  };
  const answers: Answers = { ...domainAnswers(domainOf()), 'domains.lastPlan': () => written };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('The records are written');
  expect(shown.button('Undo')).toBeDefined();
  expect(shown.page.textContent).not.toContain('Let Fairlead write these records');

  // What another hand took out again is offered anew.
  const broken = domainOf({ state: 'misconfigured' });
  using again = showScreen(<DomainScreen />, { ...answers, 'domains.get': () => broken }, PLACE);
  await again.sees('Connect a DNS provider');
  expect(again.page.textContent).not.toContain('The records are written');
});

test.each([
  ['a proof that was written once and is gone', 'active', 'proof_gone'],
  ['a CAA record that was added since', 'misconfigured', 'caa_forbids'],
  ['a CAA record that was there before', 'pending_dns', 'caa_forbids'],
] as const)('Fix it is offered for %s', async (_what, state, code) => {
  const after = { ttl: 300, values: ['fairlead=abc'] };
  const name = '_fairlead.shop.example';
  const written: RecordPlan = {
    ...PLAN,
    state: 'applied',
    changes: [{ action: 'add', type: 'TXT', name, before: null, after }],
  };
  const isProofGone = code === 'proof_gone';
  const proof = recordOf({ type: 'TXT', name, value: 'fairlead=abc', state: isProofGone ? 'missing' : 'ok' });
  const problem = { code, message: 'This is in the way.', hint: null, since: AT };
  const domain = domainOf({ state, problem, records: [proof] });
  const answers = { ...connected(), 'domains.get': () => domain, 'domains.lastPlan': () => written };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Fix it');
  expect(shown.page.textContent).not.toContain('The records are written');
  expect(shown.page.textContent?.match(/This is in the way/g)).toHaveLength(1);
});

test('of a domain at a platform the page shows what that says, and what is left to the person there', async () => {
  const answer = { state: 'ok', code: 'attached', text: 'GitHub Pages has this domain for this deployment.' } as const;
  const domain = domainOf({
    atPlatform: {
      platform: 'github-pages',
      answers: [
        {
          name: 'shop.example',
          ownership: answer,
          dns: { state: 'ok', code: 'points_there', text: 'The records of this domain lead to GitHub Pages.' },
          certificate: {
            state: 'waiting',
            code: 'certificate_coming',
            text: 'GitHub Pages is issuing the certificate.',
            expiresAt: null,
          },
        },
      ],
      steps: [{ text: 'Add it under verified domains at GitHub.', url: 'https://github.com/settings/pages' }],
      askedAt: AT,
    },
  });
  using shown = showScreen(<DomainScreen />, domainAnswers(domain), PLACE);
  await shown.sees('What GitHub Pages says');
  const texts = [...shown.page.querySelectorAll('li')].map((row) => row.textContent);
  expect(texts).toContain('CertificateGitHub Pages is issuing the certificate.');
  expect(shown.page.querySelector('a[href="https://github.com/settings/pages"]')?.textContent).toBe(
    'Open GitHub Pages',
  );
  // Those of Fairlead's own authority are for what it serves itself.
  expect(shown.page.textContent).not.toContain('Ordered once');
});
