import { expect, test, vi } from 'vitest';
import { AttentionList } from '../../src/features/deployments/manage/attention/attention-list.tsx';
import { DeploymentSettings } from '../../src/features/deployments/manage/deployment-settings.tsx';
import { WritableDialog } from '../../src/features/deployments/manage/writable-dialog.tsx';
import { isReadOnly } from '../../src/features/deployments/plan-labels.ts';
import { DomainList } from '../../src/features/domains/domain-list.tsx';
import { DeploymentsScreen } from '../../src/screens/deployments.tsx';
import { type Answers, showScreen } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

const deployments = ['one', 'two', 'three'].map((id) => deploymentOf({ id, name: id, slug: id, state: 'live' }));
const overCap = allowanceOf({
  plan: 'BASIC',
  deploymentLimit: 1,
  deploymentCount: 3,
  remaining: 0,
  writableIds: ['two'],
  mayChooseWritable: true,
  customDomains: 1,
  severalPlatforms: false,
});
const answers = (allowance = overCap): Answers => ({
  'subscription.allowance': () => allowance,
  'deployments.list': () => ({ items: deployments, nextCursor: null }),
});

test('a deployment is read-only without a plan, and where the plan has no place for it', () => {
  expect(isReadOnly(undefined, 'one')).toBe(false);
  expect(isReadOnly(allowanceOf(), 'one')).toBe(false);
  expect(isReadOnly(allowanceOf({ plan: 'free', writableIds: [] }), 'one')).toBe(true);
  expect(['one', 'two', 'three'].map((id) => isReadOnly(overCap, id))).toEqual([true, false, true]);
});

test('over the cap the list marks what is read-only, and the person chooses what is not', async () => {
  const choose = vi.fn<(input: unknown) => unknown>(() => ({ ...overCap, writableIds: ['three'] }));
  using shown = showScreen(<DeploymentsScreen />, { ...answers(), 'subscription.chooseWritable': choose });
  await shown.sees('Basic allows 1 deployment');
  await shown.sees('three');
  expect(shown.rows('Deployments').map((row) => row.includes('Read-only'))).toEqual([true, false, true]);

  shown.button('Choose').click();
  const boxes = () => [...document.querySelectorAll<HTMLButtonElement>('[role="checkbox"]')];
  const checked = () => boxes().map((box) => box.getAttribute('aria-checked'));
  await vi.waitFor(() => expect(checked()).toEqual(['false', 'true', 'false']));
  boxes()[2]?.click();
  await vi.waitFor(() => expect(checked()).toEqual(['false', 'false', 'true']));
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Save the choice')?.click();
  await vi.waitFor(() => expect(choose).toHaveBeenCalledTimes(1));
  expect(choose.mock.calls[0]?.[0]).toEqual({ deploymentIds: ['three'] });
});

test('the dashboard leads to the list, whose button is the one that chooses', async () => {
  using shown = showScreen(<AttentionList deployments={[]} allowance={overCap} />, {
    'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
    'domains.list': () => ({ items: [], nextCursor: null }),
    'certificates.list': () => ({ items: [], localRoot: null }),
  });
  await shown.sees('Basic allows 1 deployment');
  expect(shown.linkTo('See the deployments')).toBe('/deployments');
});

test('of more deployments than one page has, a chosen one of the last stays chosen', async () => {
  const all = Array.from({ length: 60 }, (_, n) =>
    deploymentOf({ id: `d${n}`, name: `d${n}`, slug: `d${n}`, state: 'live' }),
  );
  const several = { ...overCap, plan: 'STANDARD' as const, deploymentLimit: 3, writableIds: ['d1', 'd55', 'd59'] };
  const choose = vi.fn<(input: unknown) => unknown>(() => several);
  using shown = showScreen(<WritableDialog allowance={several} onClose={() => undefined} />, {
    'deployments.list': (input) =>
      typeof input === 'object' && input !== null && 'cursor' in input && input.cursor === 'next'
        ? { items: all.slice(50), nextCursor: null }
        : { items: all.slice(0, 50), nextCursor: 'next' },
    'subscription.chooseWritable': choose,
  });
  const text = '3 of 3 deployments chosen.';
  await vi.waitFor(() => expect(document.body.textContent).toContain(text));
  document.querySelectorAll<HTMLButtonElement>('[role="checkbox"]')[1]?.click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('2 of 3 deployments chosen.'));
  const save = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Save the choice');
  save?.click();
  await vi.waitFor(() => expect(choose).toHaveBeenCalledTimes(1));
  expect(choose.mock.calls[0]?.[0]).toEqual({ deploymentIds: ['d55', 'd59'] });
  expect(shown.page).toBeDefined();
});

test('to save what stands already uses up no choice', async () => {
  const choose = vi.fn<(input: unknown) => unknown>();
  const onClose = vi.fn();
  using _shown = showScreen(<WritableDialog allowance={overCap} onClose={onClose} />, {
    ...answers(),
    'subscription.chooseWritable': choose,
  });
  await vi.waitFor(() => expect(document.body.textContent).toContain('1 of 1 deployment chosen.'));
  [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Save the choice')?.click();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  expect(choose).not.toHaveBeenCalled();
});

test('who has chosen in this period is led to the plans', async () => {
  using shown = showScreen(<DeploymentsScreen />, answers({ ...overCap, mayChooseWritable: false }));
  await shown.sees('Basic allows 1 deployment');
  expect(shown.linkTo('See the plans')).toBe('/subscription/pricing');
});

test('a deployment whose domains are used says so before a name is thought of', async () => {
  const domain = { id: 'd', name: 'shop.test', counterpart: null, state: 'active', deploymentId: 'two', records: [] };
  const list = { 'domains.list': () => ({ items: [domain], nextCursor: null }) };
  const [, two] = deployments;
  if (two === undefined) throw new Error('There is no second deployment.');
  const props = { deployments: [two], deploymentId: 'two', isReadOnly: () => false };
  using shown = showScreen(<DomainList {...props} limit={1} />, list);
  await shown.sees('This deployment has the one domain your plan allows.');
  expect(shown.page.textContent).not.toContain('Add a domain');
  const items = ['d', 'e', 'f'].map((id) => ({ ...domain, id, name: `${id}.test` }));
  using full = showScreen(<DomainList {...props} limit={3} />, {
    'domains.list': () => ({ items, nextCursor: null }),
  });
  await full.sees('This deployment has all 3 domains your plan allows.');
});

test('the settings of a deployment that is read-only say why they cannot be changed', async () => {
  const answers: Answers = { 'subscription.allowance': () => allowanceOf({ plan: 'free', writableIds: [] }) };
  const settings = <DeploymentSettings deployment={deploymentOf()} isReadOnly onRemoved={vi.fn()} />;
  using shown = showScreen(settings, answers);
  await shown.sees('What is live stays live.');
  expect(shown.linkTo('See the plans')).toMatch(/^\/subscription/);
});
