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

test('who removes a domain is told of each record that is left, of those too that nobody has seen', async () => {
  const answers = domainAnswers(domainOf());
  const left = { type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc' };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Waiting for DNS');
  answers['domains.remove'] = () => {
    answers['domains.get'] = () => refusal('not_found', 'There is no such domain.');
    return { done: true, deleteFirst: [left, { type: 'A', name: 'shop.example', value: '203.0.113.7' }] };
  };
  const trigger = shown.button('Actions for shop.example');
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await pressRemove('[role="menuitem"]');
  await pressRemove('[role="alertdialog"] button');
  await shown.sees('Now delete these records');
  expect(shown.rows('Records to delete')).toEqual([
    'TXT _fairlead.shop.example fairlead=abc',
    'A shop.example 203.0.113.7',
  ]);
  expect(shown.linkTo('Back to your domains')).toBe('/domains');
});

test('who removes a domain is offered to delete what Fairlead wrote, and is not told to do it', async () => {
  const remove = vi.fn(() => ({ done: true, deleteFirst: [] }));
  const after = { ttl: 300, values: ['203.0.113.7'] };
  const change = { action: 'add' as const, type: 'A', name: 'shop.example', before: null, after };
  const proof = recordOf({ type: 'TXT', name: '_fairlead.shop.example', value: 'fairlead=abc', state: 'ok' });
  const answers: Answers = {
    ...domainAnswers(domainOf({ state: 'active', records: [recordOf({ state: 'ok' }), proof] })),
    'domains.lastPlan': () => ({ ...PLAN, changes: [change] }),
    'domains.remove': remove,
  };
  using shown = showScreen(<DomainScreen />, answers, PLACE);
  await shown.sees('Visitors see');
  const trigger = shown.button('Actions for shop.example');
  trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  await pressRemove('[role="menuitem"]');
  const listed = () => [...document.querySelectorAll('[role="alertdialog"] li')].map(({ textContent }) => textContent);
  await vi.waitFor(() => expect(listed()).toEqual(['TXT _fairlead.shop.example fairlead=abc']), 10_000);
  await pressRemove('[role="alertdialog"] button');
  await vi.waitFor(() =>
    expect(remove.mock.lastCall).toMatchObject([{ domainId: 'shop', deletesRecords: true }, undefined]),
  );
});
