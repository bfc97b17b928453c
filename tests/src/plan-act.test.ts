import { expect, test } from 'vitest';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { planAct } from '../../src/features/subscription/plan-act.ts';
import type { PlanSituation } from '../../src/features/subscription/plan-situation.ts';
import { allowanceOf } from '../support/screen-fixtures.ts';

const endsAt = new Date('2030-01-15T12:00:00Z');

function situationOf(
  plan: Subscription['plan'],
  status: Subscription['status'] = 'active',
  { count = 0 } = {},
): PlanSituation {
  const allowance = allowanceOf({ plan: status === 'expired' ? 'free' : plan, deploymentCount: count });
  return {
    kind: 'known',
    allowance,
    subscription: { status, plan, startedAt: new Date(0), endsAt, renews: false, cancelAtEnd: false, nextPlan: null },
  };
}

const endsFor = (title: string) => `When you pay, ${title} starts and your Pro trial ends.`;

test.each([
  ['PRO', { kind: 'visitor' }, { kind: 'register', label: 'Choose Pro' }],
  ['PRO', { kind: 'loading' }, { kind: 'wait', label: 'Choose Pro' }],
  ['BETA', situationOf('PRO', 'trialing'), { kind: 'checkout', label: 'Choose Beta', reason: endsFor('Beta') }],
  [
    'PRO',
    situationOf('PRO', 'trialing'),
    { kind: 'checkout', label: 'Choose Pro', reason: 'Once paid, Pro starts on Jan 15, 2030, when your trial ends.' },
  ],
  ['BASIC', situationOf('PRO', 'expired'), { kind: 'checkout', label: 'Choose Basic', reason: null }],
  ['STANDARD', situationOf('BASIC'), { kind: 'checkout', label: 'Upgrade to Standard', reason: null }],
  ['BASIC', situationOf('BASIC'), { kind: 'checkout', label: 'Add a month', reason: null }],
  [
    'BASIC',
    situationOf('STANDARD'),
    {
      kind: 'none',
      label: 'Choose Basic',
      reason: 'Your Standard plan includes all of Basic and runs until Jan 15, 2030.',
    },
  ],
  [
    'PRO',
    situationOf('BETA'),
    { kind: 'none', label: 'Choose Pro', reason: 'Your Beta plan allows the same as Pro and runs until Jan 15, 2030.' },
  ],
  [
    'BETA',
    situationOf('PRO'),
    {
      kind: 'none',
      label: 'Choose Beta',
      reason: 'Your Pro plan allows the same as Beta and runs until Jan 15, 2030.',
    },
  ],
  [
    'BETA',
    situationOf('BETA'),
    {
      kind: 'none',
      label: 'Your plan',
      reason: 'You have Beta until Jan 15, 2030. You can buy it again after that.',
    },
  ],
  [
    'BASIC',
    situationOf('PRO', 'trialing', { count: 3 }),
    { kind: 'fewer', label: 'Choose Basic', reason: endsFor('Basic'), count: 3 },
  ],
  [
    'STANDARD',
    situationOf('PRO', 'trialing', { count: 3 }),
    { kind: 'checkout', label: 'Choose Standard', reason: endsFor('Standard') },
  ],
  [
    'BASIC',
    situationOf('PRO', 'expired', { count: 2 }),
    { kind: 'fewer', label: 'Choose Basic', reason: null, count: 2 },
  ],
] as const)('the button of %s does what the server would allow', (plan, situation, act) => {
  expect(planAct(plan, situation)).toEqual(act);
});

test('a smaller plan of one that renews is chosen for the time after it, and is not offered twice', () => {
  const situation = situationOf('PRO');
  if (situation.kind !== 'known' || situation.subscription === null) throw new Error('A plan runs.');
  const renewing = { ...situation.subscription, renews: true };
  expect(planAct('BASIC', { ...situation, subscription: renewing })).toEqual({
    kind: 'later',
    label: 'Choose Basic',
    reason: 'It starts on Jan 15, 2030, when your paid period ends.',
    subscription: renewing,
  });
  expect(planAct('PRO', { ...situation, subscription: renewing })).toEqual({
    kind: 'none',
    label: 'Your plan',
    reason: null,
  });
  const chosen = { ...renewing, nextPlan: 'BASIC' as const };
  expect(planAct('BASIC', { ...situation, subscription: chosen })).toEqual({
    kind: 'none',
    label: 'Choose Basic',
    reason: 'Basic begins on Jan 15, 2030.',
  });
  const own = 'It becomes Basic on Jan 15, 2030. To keep it, choose “Keep Pro” in Account.';
  expect(planAct('PRO', { ...situation, subscription: chosen })).toMatchObject({ kind: 'none', reason: own });
});

test('a plan that was canceled names where it is kept', () => {
  const situation = situationOf('PRO');
  if (situation.kind !== 'known' || situation.subscription === null) throw new Error('A plan runs.');
  const canceled = { ...situation.subscription, renews: true, cancelAtEnd: true };
  const reason = 'It is cancelled, and ends on Jan 15, 2030. To keep it, choose “Keep Pro” in Account.';
  expect(planAct('PRO', { ...situation, subscription: canceled })).toMatchObject({ kind: 'none', reason });
});

test('at a payment service no larger plan is sold while a smaller one is chosen for later, or the plan is canceled', () => {
  const situation = situationOf('STANDARD');
  if (situation.kind !== 'known' || situation.subscription === null) throw new Error('A plan runs.');
  const subscription = { ...situation.subscription, renews: true, nextPlan: 'BASIC' as const };
  const act = (plan: 'PRO' | 'BETA') => planAct(plan, { ...situation, subscription });
  expect(act('PRO')).toMatchObject({ kind: 'checkout' });

  document.head.innerHTML = '<meta name="fairlead-checkout" content="PRO:2900:usd">';

  expect(act('PRO')).toEqual({
    kind: 'none',
    label: 'Upgrade to Pro',
    reason: 'Basic is chosen for later. To upgrade, first choose “Keep Standard” in Account.',
  });
  expect(act('BETA')).toMatchObject({ kind: 'checkout' });
  const canceled = { ...subscription, nextPlan: null, cancelAtEnd: true };
  const reason = 'Standard is cancelled. To upgrade, first choose “Keep Standard” in Account.';
  expect(planAct('PRO', { ...situation, subscription: canceled })).toMatchObject({ kind: 'none', reason });
  document.head.innerHTML = '';
});
