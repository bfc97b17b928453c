import { describe, expect, test, vi } from 'vitest';
import type { Domain } from '../../routers/schemas/domains.ts';
import { RecordCards } from '../../src/features/domains/records/record-cards.tsx';
import { RecordPlanDialog } from '../../src/features/domains/records/record-plan-dialog.tsx';
import { RecordTable } from '../../src/features/domains/records/record-table.tsx';
import { DomainScreen } from '../../src/screens/domain.tsx';
import { DomainsScreen } from '../../src/screens/domains.tsx';
import { domainAnswers, DOMAIN_PLACE as PLACE } from '../support/domain-answers.ts';
import { answerOf, domainOf, recordOf } from '../support/domain-fixtures.ts';
import { showScreen } from '../support/screen.tsx';

test('each record stands with what is needed, what is seen, and by how many name servers', async () => {
  const records = [
    recordOf({ state: 'ok', seen: [answerOf('ns1', ['203.0.113.7']), answerOf('ns2', ['203.0.113.7'])] }),
    recordOf({
      type: 'CNAME',
      name: 'www.shop.example',
      value: 'shop.example',
      state: 'partly',
      seen: [answerOf('ns1', ['shop.example']), answerOf('ns2', null, 'timeout')],
    }),
    recordOf({ type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc' }),
  ];
  using shown = showScreen(<DomainScreen />, domainAnswers(domainOf({ records })), PLACE);
  await shown.sees('1 of 3 records seen');
  const [apex, www, proof] = [...shown.page.querySelectorAll('tbody tr')].map((row) => row.textContent);
  expect(apex).toContain('Seen by 2 of 2 servers');
  expect(www).toContain('Seen by 1 of 2 servers');
  expect(www).toContain('ns2 (198.51.100.1): no answer in time');
  expect(proof).toContain('Not seen yet');
  // As most providers ask for it, without the domain itself.
  expect(shown.button('Copy the name @')).toBeDefined();
  expect(shown.button('Copy the name www')).toBeDefined();
  expect(shown.button('Copy the value fairlead=abc')).toBeDefined();
  expect(shown.button('Copy the seen value 203.0.113.7')).toBeDefined();
  expect(shown.button('Copy the seen value shop.example')).toBeDefined();
});

test('where the zone lies above the domain, names are copied without the zone, and stand whole in the tooltip', () => {
  const below = { name: 'shop.cafe.example', counterpart: null, zone: 'cafe.example' };
  const proof = recordOf({ type: 'TXT', name: '_fairlead.shop.cafe.example', value: 'fairlead=abc' });
  const records = [recordOf({ name: 'shop.cafe.example' }), proof];
  using shown = showScreen(<RecordTable domain={domainOf({ ...below, records })} />, {});
  expect(shown.button('Copy the name shop').closest('[title]')?.getAttribute('title')).toBe('shop.cafe.example');
  expect(shown.button('Copy the name _fairlead.shop')).toBeDefined();
});

test('a server that has another address beside the right one does not have the record', () => {
  const value = '203.0.113.7';
  const right = answerOf('ns1', [value]);
  const both = answerOf('ns2', [value, '198.51.100.9']);
  const alias = { type: 'ALIAS', value: 'apex.host.example' } as const;
  const text = { type: 'TXT', value: 'fairlead=abc' } as const;
  const records = [
    recordOf({ state: 'partly', seen: [right, both] }),
    recordOf({ state: 'wrong', seen: [both] }),
    recordOf({ state: 'ok', seen: [right] }),
    recordOf({ ...alias, state: 'ok', seen: [right, answerOf('ns2', null, 'timeout')] }),
    recordOf({ ...alias, state: 'partly', seen: [right, both] }),
    recordOf({ ...text, state: 'partly', seen: [answerOf('ns1', ['v=spf1', 'fairlead=abc']), answerOf('ns2', [])] }),
  ].map((record, index) => ({ ...record, name: `${index}.shop.example` }));
  using shown = showScreen(<RecordTable domain={domainOf({ records })} />, {});
  const states = [...shown.page.querySelectorAll('tbody tr > :last-child')].map(({ textContent }) => textContent);
  expect(states).toEqual([
    'Seen by 1 of 2 servers',
    'Another value as well',
    'Seen by 1 of 1 server',
    'Seen by 1 of 2 servers',
    'Not on all servers',
    'Seen by 1 of 2 servers',
  ]);
});

test('a server that is known by its address alone is named once', () => {
  const resolver = { ...answerOf('198.51.100.1', ['203.0.113.7']), isAuthority: false };
  using shown = showScreen(<RecordTable domain={domainOf({ records: [recordOf({ seen: [resolver] })] })} />, {});
  expect(shown.rows('Records')[0]).toContain('198.51.100.1: 203.0.113.7');
});

test('records that are missing do not stand among those that are as they should be', async () => {
  const broken = domainOf({ state: 'misconfigured' });
  const optional = recordOf({ type: 'TXT', value: 'ca.example', purpose: 'certificate', required: false });
  for (const [rest, title] of [
    [recordOf({ value: '203.0.113.8', state: 'ok' }), 'As they should be'],
    [optional, 'The other records'],
  ] as const) {
    using shown = showScreen(<RecordCards domain={{ ...broken, records: [recordOf(), rest] }} />, {});
    await shown.sees(title);
  }
});

const www = { type: 'CNAME', name: 'www.shop.example', value: 'shop.example' } as const;

test('while a domain waits for DNS, what is next stands on top: what is seen, and what has to be there', async () => {
  const wrong = (values: string[]) => recordOf({ state: 'wrong', seen: [answerOf('ns1', values)] });
  for (const [record, text] of [
    [wrong(['192.0.2.99']), 'shop.example has 192.0.2.99 now: set it to 203.0.113.7.'],
    [wrong(['203.0.113.7', '192.0.2.99']), 'shop.example has 192.0.2.99 as well as 203.0.113.7: remove 192.0.2.99.'],
    [recordOf(), 'Not seen yet: A shop.example.'],
  ] as const) {
    using shown = showScreen(<DomainScreen />, domainAnswers(domainOf({ records: [record] })), PLACE);
    await shown.sees('Next: set the records below');
    expect(shown.page.textContent).toContain(text);
  }
});

test('what has to go before a CNAME is told, also once the domain has worked', async () => {
  const problem = { code: 'records_changed', message: 'Changed.', hint: null, since: new Date() };
  const clash = recordOf({ ...www, state: 'wrong', seen: [answerOf('ns1', ['192.0.2.77'])] });
  for (const [domain, text] of [
    [domainOf({ state: 'misconfigured', problem, records: [clash] }), 'has an address record, 192.0.2.77: remove'],
    [domainOf({ records: [recordOf(www)] }), 'If www.shop.example has other records (A, TXT, MX), remove them'],
  ] as const) {
    using shown = showScreen(<DomainScreen />, domainAnswers(domain), PLACE);
    await shown.sees(text);
  }
});

test('a name without records beside the one that works is told quietly', async () => {
  const records = [recordOf({ state: 'ok' }), recordOf(www)];
  const active = domainOf({ state: 'active', activeSince: new Date(0), pointedNames: ['shop.example'], records });
  using shown = showScreen(<DomainScreen />, domainAnswers(active), PLACE);
  await shown.sees('www.shop.example is not set up yet: set its record below');
  expect([...shown.page.querySelectorAll('[data-notice]')].map((one) => one.getAttribute('data-notice'))).toEqual([
    'quiet',
  ]);
  await shown.sees('Its records point to this deployment. www.shop.example is not set up yet.');
});

test('while the proof is missing, the other records are said to be set at the same time', async () => {
  using shown = showScreen(<DomainScreen />, domainAnswers(domainOf({ state: 'unverified', provedAt: null })), PLACE);
  await shown.sees('the other records can be set at the same time');
});

test('what is in the way beside the records is told with the proof, and with the records to set', async () => {
  const problem = { code: 'caa_forbids', message: 'CAA records forbid it.', hint: 'Add one.', since: new Date() };
  for (const [changes, text] of [
    [{ state: 'unverified', provedAt: null, problem }, 'Prove that the domain is yours'],
    [{ problem: { ...problem, code: 'aaaa_elsewhere' } }, 'Next: set the records below'],
  ] as const) {
    using shown = showScreen(<DomainScreen />, domainAnswers(domainOf(changes)), PLACE);
    await shown.sees(text);
    expect(shown.page.textContent).toContain('CAA records forbid it.');
  }
});

test('without a connection the page names the place in Settings that writes the records', async () => {
  const answers = { ...domainAnswers(domainOf()), 'domains.setupOffer': () => null };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('in Settings, under DNS connections');
  expect(shown.linkTo('Connect a DNS provider')).toBe('/settings');
});

test('what changes stands open, what is right already is folded away, and a removal is not called writing', () => {
  const set = { ttl: 300, values: ['x'] };
  const changes = [
    { action: 'leave', type: 'A', name: 'shop.example', before: set, after: set } as const,
    { action: 'remove', type: 'CAA', name: 'shop.example', before: set, after: null } as const,
  ];
  const ends = { onBegun() {}, onOutdated() {}, onClose() {} };
  const plan = { planId: 'p', connectionId: 'd', zone: 'shop.example', state: 'planned', error: null } as const;
  const dialog = {
    domain: domainOf(),
    plan: { ...plan, changes, conflicts: [], changedAt: new Date(0) },
    isPlanning: false,
    ...ends,
  };
  using _shown = showScreen(<RecordPlanDialog {...dialog} />, {});
  const rows = [...document.querySelectorAll('[role="dialog"] li')];
  expect(rows.map((row) => [row.closest('details') !== null, row.textContent])).toEqual([
    [false, expect.stringContaining('Remove')],
    [true, expect.stringContaining('Already right')],
  ]);
  expect(document.querySelector('[role="dialog"] summary')?.textContent).toBe('1 record already right');
  expect(document.querySelector('[role="dialog"]')?.textContent).toContain('Make 1 change');
});

test('a record that is gone from a working domain is not said to be on its way', () => {
  const lost = domainOf({ state: 'misconfigured', activeSince: new Date(0) });
  using shown = showScreen(<RecordTable domain={lost} />, {});
  expect(shown.page.textContent).toMatch(/Not seen$/);
});

test('a name that worked once is not said to lead here not yet, and no cache is named that has forgotten', async () => {
  const cached = { ...answerOf('resolver', ['192.0.2.9']), isAuthority: false };
  const records = [recordOf({ state: 'wrong', seen: [cached] })];
  const domain = domainOf({ state: 'active', activeSince: new Date(0), checkedAt: new Date(0), records });
  using shown = showScreen(<DomainScreen />, domainAnswers(domain), PLACE);
  await shown.sees('shop.example does not point here.');
  expect(shown.page.textContent).not.toMatch(/caches/i);
  const beside = recordOf({ state: 'wrong', seen: [answerOf('ns1', ['203.0.113.7', '192.0.2.9'])] });
  using shared = showScreen(<DomainScreen />, domainAnswers({ ...domain, records: [beside] }), PLACE);
  await shared.sees('shop.example points here only in part.');
  const later = { ...domain, checkedAt: new Date('2126-01-01') };
  using again = showScreen(<RecordTable domain={later} />, {});
  expect(again.page.textContent).toContain('Caches may show the old value until');

  // The negative answer says how long it is kept (RFC 2308, section 5).
  const negative = recordOf({ state: 'ok', seen: [answerOf('ns1', ['203.0.113.7']), { ...cached, values: [] }] });
  using made = showScreen(<RecordTable domain={{ ...later, records: [negative] }} />, {});
  expect(made.page.textContent).toContain('Caches may show no record until');
});

test('before a working domain loses its records by an undo, they are named, and that visitors are lost', async () => {
  const undone = vi.fn(() => ({ ...plan, state: 'undone' }));
  const set = { ttl: 300, values: ['203.0.113.7'] };
  const change = { action: 'add', type: 'A', name: 'shop.example', before: null, after: set };
  const plan = { planId: 'p', connectionId: 'd', zone: 'shop.example', error: null, changes: [change], conflicts: [] };
  const at = { changedAt: new Date() };
  const answers = {
    ...domainAnswers(domainOf()),
    'domains.get': () => domainOf({ state: 'active', records: [recordOf({ state: 'ok' })] }),
    'domains.lastPlan': () => ({ ...plan, ...at, state: 'applied' }),
    'domains.undoPlan': undone,
  };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('The records are written');
  shown.button('Undo').click();
  const dialog = () => document.querySelector('[role="alertdialog"]')?.textContent;
  await vi.waitFor(() => expect(dialog()).toContain('Visitors who type shop.example will no longer reach'), 10_000);
  expect(dialog()).toContain('A shop.example 203.0.113.7');
  expect(undone).not.toHaveBeenCalled();

  // Later it is no longer the first thing to do: the menu has it.
  at.changedAt = new Date(0);
  using later = showScreen(<DomainScreen />, answers, PLACE);
  await later.sees('Visitors see');
  expect(later.page.textContent).not.toContain('The records are written');
});

describe('of a plan that was applied', () => {
  const set = { ttl: 300, values: ['203.0.113.7'] };
  const added = { action: 'add', type: 'A', name: 'shop.example', before: null, after: set } as const;
  const left = { action: 'leave', ...www, before: { ttl: 300, values: [www.value] } } as const;
  const plan = { planId: 'p', connectionId: 'd', zone: 'shop.example', error: null, conflicts: [], state: 'applied' };
  const show = (domain: Domain) =>
    showScreen(
      <DomainScreen />,
      {
        ...domainAnswers(domain),
        'domains.lastPlan': () => ({
          ...{ ...plan, changedAt: new Date() },
          changes: [added, { ...left, after: left.before }],
        }),
      },
      PLACE,
    );

  test('what it wrote is on its way until it is seen, also beside a CAA record that forbids', async () => {
    const problem = { code: 'caa_forbids', message: 'CAA records forbid it.', hint: 'Add one.', since: new Date() };
    using shown = show(domainOf({ problem }));
    await shown.sees('until each of them has the records');
    expect(shown.page.textContent).not.toContain('Next: set the records below');
  });

  test('what is seen is said to be written, and a record that it left, and is gone, is the next step', async () => {
    using shown = show(domainOf({ records: [recordOf({ state: 'ok' }), recordOf(www)] }));
    await shown.sees('By Fairlead, in the zone shop.example.');
    await shown.sees('Not seen yet: CNAME www.shop.example.');
  });
});

test('an undo that takes www alone does not say that the main name is lost', async () => {
  const set = { ttl: 300, values: ['shop.example'] };
  const change = { action: 'add', ...www, before: null, after: set } as const;
  const plan = { planId: 'p', connectionId: 'd', zone: 'shop.example', error: null, changes: [change], conflicts: [] };
  const domain = domainOf({ state: 'active', records: [recordOf({ state: 'ok' }), recordOf({ ...www, state: 'ok' })] });
  const answers = {
    ...domainAnswers(domainOf()),
    'domains.get': () => domain,
    'domains.lastPlan': () => ({ ...plan, state: 'applied', changedAt: new Date() }),
  };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('The records are written');
  shown.button('Undo').click();
  const dialog = () => document.querySelector('[role="alertdialog"]')?.textContent;
  await vi.waitFor(() => expect(dialog()).toContain('Visitors who type'));
  expect(dialog()).toContain('Visitors who type www.shop.example will no longer reach');
});

test('the list names the main name where it is the other of the two', async () => {
  using shown = showScreen(<DomainsScreen />, domainAnswers(domainOf({ servedName: 'www.shop.example' })));
  await shown.sees('with www as its main name');
});
