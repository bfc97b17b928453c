import { expect, test, vi } from 'vitest';
import { DomainScreen } from '../../src/screens/domain.tsx';
import { domainAnswers, DOMAIN_PLACE as PLACE } from '../support/domain-answers.ts';
import { domainOf, recordOf } from '../support/domain-fixtures.ts';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';

const PLAN = {
  ...{ planId: 'plan', connectionId: 'dns', zone: 'shop.example', state: 'applied', error: null },
  ...{ conflicts: [], changedAt: new Date(0) },
};

/** The menu and its dialog stand beside the page, and come a moment later. */
async function pressRemove(selector: string): Promise<void> {
  await vi.waitFor(() => {
    const found = [...document.querySelectorAll<HTMLElement>(selector)];
    const press = found.find(({ textContent }) => textContent?.trim() === 'Remove');
    if (press === undefined) expect.fail(`There is no Remove in ${selector}`);
    press.click();
  }, 10_000);
}

const question = () => document.querySelector('[role="alertdialog"]')?.textContent;

test('who removes a domain is told of each record that is left, of those too that nobody has seen', async () => {
  const answers = domainAnswers(domainOf());
  const left = { type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc' };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Waiting for DNS');
  answers['domains.remove'] = () => {
    answers['domains.get'] = () => refusal('not_found', 'There is no such domain.');
    return {
      ...{ done: true, deleteFirst: [left, { type: 'A', name: 'shop.example', value: '203.0.113.7' }] },
      stays: [{ type: 'CAA', name: 'shop.example', value: '0 issue "ca.example"' }],
    };
  };
  const trigger = shown.button('Actions for shop.example');
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await pressRemove('[role="menuitem"]');
  await vi.waitFor(() => expect(question()).toContain('To add the domain again'), 10_000);
  // Nobody has reached the deployment by it yet.
  expect(question()).not.toContain('Visitors');
  await pressRemove('[role="alertdialog"] button');
  await shown.sees('Now delete these records');
  expect(shown.rows('Records to delete')).toEqual([
    'TXT _fairlead.shop.example fairlead=abc',
    'A shop.example 203.0.113.7',
  ]);
  expect(shown.rows('Records that stay')).toEqual(['CAA shop.example 0 issue "ca.example"']);
  expect(shown.linkTo('Back to your domains')).toBe('/domains');
});

/** A domain with its proof; of the addresses there, the last plan wrote those that were not there before. */
function written(before: string[]): Answers {
  const set = (values: string[]) => ({ ttl: 300, values });
  const after = set(['203.0.113.7', '203.0.113.8']);
  const change = { action: 'replace' as const, type: 'A', name: 'shop.example', before: set(before), after };
  const proof = recordOf({ type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc' });
  const records = [recordOf(), recordOf({ value: '203.0.113.8' }), proof];
  const ok = records.map((record) => ({ ...record, state: 'ok' as const }));
  return {
    ...domainAnswers(domainOf({ state: 'active', records: ok })),
    'domains.lastPlan': () => ({ ...PLAN, changes: [change] }),
    'connections.list': () => ({
      items: [{ id: 'dns', kind: 'dns', state: 'ok', provider: 'cloudflare', identity: 'shop', lostZones: [] }],
      ...{ signIn: [], tokenPages: {} },
    }),
  };
}

async function askToRemove(shown: ReturnType<typeof showScreen>): Promise<void> {
  await shown.sees('Visitors see');
  const trigger = shown.button('Actions for shop.example');
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await pressRemove('[role="menuitem"]');
}

const PROOF = 'TXT _fairlead.shop.example fairlead=abc';
const listed = () => [...document.querySelectorAll('[role="alertdialog"] li')].map(({ textContent }) => textContent);
const lists = (...records: string[]) => vi.waitFor(() => expect(listed()).toEqual(records), 10_000);

test('who removes a domain is offered to delete what Fairlead wrote, and is not told to do it', async () => {
  const remove = vi.fn(() => ({ done: true, deleteFirst: [], stays: [] }));
  using shown = showScreen(<DomainScreen />, { ...written([]), 'domains.remove': remove }, PLACE);
  await askToRemove(shown);
  await lists(PROOF);
  expect(question()).toContain('Visitors who type shop.example will no longer reach your deployment.');
  await pressRemove('[role="alertdialog"] button');
  await vi.waitFor(() =>
    expect(remove.mock.lastCall).toMatchObject([{ domainId: 'shop', deletesRecords: true }, undefined]),
  );
});

test('what was there before Fairlead wrote is left to the person', async () => {
  using shown = showScreen(<DomainScreen />, written(['203.0.113.8']), PLACE);
  await askToRemove(shown);
  await lists('A shop.example 203.0.113.8', PROOF);
});

test('without the connection that wrote them all records are left to the person', async () => {
  const answers = { ...written([]), 'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }) };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await askToRemove(shown);
  await lists('A shop.example 203.0.113.7', 'A shop.example 203.0.113.8', PROOF);
});
