import { TRPCClientError } from '@trpc/client';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { expect, test, vi } from 'vitest';
import { isActiveStatus } from '../../routers/schemas/active-status.ts';
import { subscriptionStatusSchema } from '../../routers/schemas/states.ts';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { trpc } from '../../src/api/trpc.ts';
import { useSubscription } from '../../src/api/use-subscription.ts';
import { signInAs } from '../../src/api/user.ts';
import { showToast, toasts } from '../../src/components/overlays/toast-store.ts';
import { planBlocker, usageText } from '../../src/features/deployments/plan-labels.ts';
import { PlatformSetup } from '../../src/features/deployments/setup/platform-setup.tsx';
import { PlanButton } from '../../src/features/subscription/plan-button.tsx';
import { PlanSetting } from '../../src/features/subscription/plan-setting.tsx';
import { PlanView } from '../../src/features/subscription/plan-view.tsx';
import { TrialOffer } from '../../src/features/subscription/trial-offer.tsx';
import { DashboardScreen } from '../../src/screens/dashboard.tsx';
import { SubscriptionSuccessScreen } from '../../src/screens/subscription/success.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';
import { ada, allowanceOf } from '../support/screen-fixtures.ts';
import { arrivesAt, press, serve, showApp, textsOf, watchToasts } from '../support/shown-app.tsx';

const at = new Date('2030-01-01T12:00:00Z');
const trial: Subscription = {
  status: 'trialing',
  plan: 'PRO',
  startedAt: at,
  endsAt: new Date('2030-01-15T12:00:00Z'),
  renews: false,
  cancelAtEnd: false,
  nextPlan: null,
};

/** Screens that each look at the plan, one after the other. */
function Screens() {
  const [screen, setScreen] = useState(1);
  const utils = trpc.useUtils();
  return (
    <>
      <button type="button" onClick={() => setScreen(screen + 1)}>
        Next screen
      </button>
      <button type="button" onClick={() => void utils.subscription.invalidate()}>
        A trial started
      </button>
      <Plan key={screen} on={screen} />
    </>
  );
}

function Plan({ on }: { on: number }) {
  const { data, error } = useSubscription();
  if (error !== null) return <p>Screen {on}: no answer</p>;
  return (
    <p>
      Screen {on}: {data === null ? 'none' : data?.status}
    </p>
  );
}

test('that there is no subscription is kept from screen to screen, until something changes', async () => {
  const get = vi.fn<() => unknown>(() => refusal('not_found', 'You have no subscription.'));
  const answers: Answers = { 'subscription.get': get };
  using shown = showScreen(<Screens />, answers);
  await shown.sees('Screen 1: none');
  shown.button('Next screen').click();
  await shown.sees('Screen 2: none');
  expect(get).toHaveBeenCalledTimes(1);
  get.mockImplementation(() => trial);
  shown.button('A trial started').click();
  await shown.sees('Screen 2: trialing');
  expect(get).toHaveBeenCalledTimes(2);
});

test('an answer that is not OK counts as no subscription', async () => {
  const get = vi.fn<() => unknown>(() => refusal('database_unavailable', 'The database is away.'));
  using shown = showScreen(<Screens />, { 'subscription.get': get });
  await shown.sees('Screen 1: none');
  get.mockImplementation(() => trial);
  shown.button('A trial started').click();
  await shown.sees('Screen 1: trialing');
});

test('the end of a trial is said once', () => {
  const situation = {
    kind: 'known',
    subscription: trial,
    allowance: allowanceOf({ isTrialAvailable: false }),
  } as const;
  using shown = showScreen(<TrialOffer situation={situation} />, {});
  expect(shown.page.textContent?.match(/Jan 15, 2030/g)).toHaveLength(1);
});

test('a payment on its way is said once among the plans, and beside the plan; no plan is sold again', async () => {
  const comingPayment = { id: 'coming', plan: 'PRO' } as const;
  const allowance = allowanceOf({ plan: 'free', deploymentCount: 0, comingPayment });
  const situation = { kind: 'known', allowance, subscription: null } as const;
  const text = 'Your payment for Pro is on its way';
  {
    using shown = showScreen(<PlanView situation={situation} />, {});
    await shown.sees(text);
    expect(shown.page.textContent?.match(new RegExp(text, 'g'))).toHaveLength(1);
    expect(shown.page.textContent).not.toContain('Start the trial');
    expect(shown.button('Choose Basic').disabled).toBe(true);
    expect(shown.page.textContent).toContain('Available once your payment has arrived.Choose Basic');
    expect(shown.linkTo('See the payment')).toBe('/subscription/success?session_id=coming');
  }
  const when = 'You can publish as soon as your payment has arrived.';
  expect(usageText(allowance)).toBe(when);
  expect(planBlocker(allowance)).toMatchObject({ title: text, text: `${when} Your files wait for you.` });
  signInAs(ada);
  const none = () => refusal('not_found', 'There is no subscription.');
  const answers = { 'subscription.allowance': () => allowance, 'subscription.get': none };
  using account = showScreen(<PlanSetting isBetaTester={false} />, answers);
  await account.sees(text);
  expect(account.page.textContent).not.toContain('What is live');
  expect(account.linkTo('See the payment')).toBe('/subscription/success?session_id=coming');
});

test('a failure is no answer: the next screen asks again', async () => {
  const get = vi.fn<() => unknown>(() => TRPCClientError.from(new TypeError('Failed to fetch')));
  using shown = showScreen(<Screens />, { 'subscription.get': get });
  await shown.sees('Screen 1: no answer');
  get.mockImplementation(() => trial);
  shown.button('Next screen').click();
  await shown.sees('Screen 2: trialing');
});

test.each([
  ['', 'Next: publish your files.'],
  ['harbour', 'Next: publish “harbour”.'],
])('what waits for the trial is told in a sentence, with or without a name: %j', async (name, sentence) => {
  setWaiting({ name, files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] });
  const allowance = allowanceOf({
    plan: 'free',
    deploymentLimit: 0,
    deploymentCount: 0,
    remaining: 0,
    isTrialAvailable: true,
  });
  using shown = showScreen(<TrialOffer situation={{ kind: 'known', allowance, subscription: null }} />, {});
  await shown.sees(sentence);
  setWaiting(null);
});

test.each([
  [0, null, 'An earlier account with your email address used the free trial. Choose a plan below to publish.'],
  [0, { ...trial, status: 'expired' }, 'Choose a plan below to publish.'],
  [2, { ...trial, status: 'expired' }, 'What you published stays live and is read-only.'],
] as const)(
  'without a plan and a trial, and with %s deployments, it says what is so',
  (deploymentCount, subscription, text) => {
    const allowance = allowanceOf({ plan: 'free', deploymentLimit: 0, deploymentCount, remaining: 0 });
    using shown = showScreen(<TrialOffer situation={{ kind: 'known', allowance, subscription }} />, {});
    expect(shown.page.textContent).toContain(`No plan is active${text}`);
  },
);

test.each([
  [null, 'Publish your folder', '/new-deployment'],
  [1, 'Publish your folder', '/new-deployment'],
  [0, 'Go to Dashboard', '/dashboard'],
])('a plan with room for %s more leads on by "%s" while a folder waits', async (remaining, label, path) => {
  setWaiting({ name: 'harbour', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] });
  signInAs(ada);
  const allowance = allowanceOf({ plan: 'STANDARD', deploymentLimit: remaining === null ? null : 3, remaining });
  const subscription = { ...trial, status: 'active' } as const;
  using plans = showScreen(<TrialOffer situation={{ kind: 'known', allowance, subscription }} />, {});
  expect(plans.linkTo(label)).toBe(path);
  using paid = showScreen(<SubscriptionSuccessScreen />, {
    'subscription.allowance': () => allowance,
    'subscription.get': () => subscription,
  });
  await paid.sees('Your Pro plan is active');
  expect(paid.linkTo(label)).toBe(path);
  setWaiting(null);
});

test.each([
  [
    { plan: 'free', deploymentLimit: 0, remaining: 0, isTrialAvailable: true } as const,
    ['No plan is active', 'Publishing starts with a free trial of 14 days, without a card.'],
  ],
  [{}, ['0 deployments · unlimited on Pro']],
])('the dashboard says what is left: %j', async (fields, texts) => {
  signInAs({ ...ada, deploymentCount: 0 });
  using shown = showScreen(<DashboardScreen />, {
    'subscription.allowance': () => allowanceOf({ deploymentCount: 0, ...fields }),
    'deployments.list': () => ({ items: [], nextCursor: null }),
    'releases.list': () => ({ items: [], rollBacks: [], nextCursor: null }),
  });
  for (const text of texts) await shown.sees(text);
});

test('the dashboard names the folder that waits, and leads on with it or discards it', async () => {
  signInAs({ ...ada, deploymentCount: 0 });
  setWaiting({
    name: 'harbour-cafe',
    files: [{ path: 'index.html', file: new File(['<h1>Café</h1>'], 'index.html') }],
  });
  using shown = showScreen(<DashboardScreen />, {
    'subscription.allowance': () => allowanceOf({ deploymentCount: 0 }),
    'deployments.list': () => ({ items: [], nextCursor: null }),
    'releases.list': () => ({ items: [], rollBacks: [], nextCursor: null }),
  });
  // At once: it comes with the screen, and cannot be missing where a file of its own fails to load.
  expect(shown.page.textContent).toContain('harbour-cafe');
  expect(shown.page.textContent).toContain('Your folder waits to be published.');
  expect(shown.linkTo('Go on')).toBe('/new-deployment');
  flushSync(() => shown.button('Discard').click());
  expect(shown.page.textContent).not.toContain('harbour-cafe');
});

test('a trial that starts leads on, where the frame says how long it lasts and no toast covers the page', async () => {
  let started: Subscription | null = null;
  const answers = {
    'subscription.get': () => started ?? refusal('not_found', 'You have no subscription.'),
    'subscription.allowance': () => allowanceOf({ isTrialAvailable: started === null, deploymentCount: 0 }),
    'subscription.startTrial': () => {
      started = trial;
      return trial;
    },
    'deployments.list': () => ({ items: [], nextCursor: null }),
    'releases.list': () => ({ items: [], rollBacks: [], nextCursor: null }),
  };
  await using _app = showApp('/subscription/pricing', { user: { ...ada, deploymentCount: 0 }, answers });
  showToast({ title: 'Account created successfully' });
  const told = watchToasts();
  await press('main button', 'Start the trial');
  await arrivesAt('/dashboard');
  await vi.waitFor(() => expect(textsOf('header').join()).toMatch(/Trial: \d+\sdays\sleft/));
  expect(told).toEqual([]);
  expect(toasts.get()).toEqual([]);
});

test('where somebody was going when they registered is led to once they have a plan', async () => {
  const place = { pattern: '/subscription/pricing', path: '/subscription/pricing?redirect=%2Fdeploy%2Fnetlify' };
  using visiting = showScreen(<TrialOffer situation={{ kind: 'visitor' }} />, {}, place);
  expect(visiting.linkTo('Register')).toBe('/register?redirect=%2Fdeploy%2Fnetlify');
  using choosing = showScreen(<PlanButton plan="PRO" act={{ kind: 'register', label: 'Choose Pro' }} />, {}, place);
  expect(choosing.linkTo('Choose Pro')).toBe('/register?redirect=%2Fdeploy%2Fnetlify');
  const known = { kind: 'known', allowance: allowanceOf(), subscription: trial } as const;
  {
    using shown = showScreen(<TrialOffer situation={known} />, {}, place);
    expect(shown.linkTo('Continue')).toBe('/deploy/netlify');
  }
  using back = showScreen(
    <TrialOffer situation={known} />,
    {},
    { ...place, path: '/subscription/pricing?redirect=%2Fpricing' },
  );
  expect(back.linkTo('Continue')).toBe(undefined);
});

test('where somebody was going survives the checkout, and is forgotten once they go there', async () => {
  signInAs(ada);
  const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
  const allowance = allowanceOf({ plan: 'STANDARD' });
  const answers = {
    'subscription.get': () => ({ ...trial, status: 'active' as const }),
    'subscription.allowance': () => allowance,
    'payments.checkout': () => ({ url: 'https://pay.example' }),
  };
  serve(answers);
  const place = { pattern: '/subscription/pricing', path: '/subscription/pricing?redirect=%2Fdeploy%2Fnetlify' };
  const act = { kind: 'checkout', label: 'Choose Pro', reason: null } as const;
  using choosing = showScreen(<PlanButton plan="PRO" act={act} />, {}, place);
  choosing.button('Choose Pro').click();
  await vi.waitFor(() => expect(assign).toHaveBeenCalledWith('https://pay.example'));
  using paid = showScreen(<SubscriptionSuccessScreen />, answers);
  await paid.sees('Your Pro plan is active');
  expect(paid.linkTo('Continue')).toBe('/deploy/netlify');
  [...paid.page.querySelectorAll('a')].find(({ textContent }) => textContent === 'Continue')?.click();
  using again = showScreen(<SubscriptionSuccessScreen />, answers);
  await again.sees('Your Pro plan is active');
  expect(again.linkTo('Continue')).toBe(undefined);
});

test('the page of a platform names the folder that waits', () => {
  setWaiting({ name: 'harbour', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] });
  using shown = showScreen(<PlatformSetup platform="netlify" />, {});
  expect(shown.linkTo('Publish “harbour” to Netlify')).toBe('/new-deployment?platform=netlify');
  setWaiting(null);
});

test('active and trialing alone count as active', () => {
  expect(subscriptionStatusSchema.options.filter(isActiveStatus)).toEqual(['trialing', 'active']);
});
