import { beforeEach, expect, test, vi } from 'vitest';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { signInAs } from '../../src/api/user.ts';
import { endingItems } from '../../src/features/deployments/manage/attention/attention-items.ts';
import { endLabel } from '../../src/features/subscription/plan-end.ts';
import { PlanSetting } from '../../src/features/subscription/plan-setting.tsx';
import { readOnlyTexts } from '../../src/features/subscription/read-only-list.tsx';
import { type Answers, showScreen } from '../support/screen.tsx';
import { ada, allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

const endsAt = new Date('2030-02-01T12:00:00Z');
const standard: Subscription = {
  ...{ status: 'active', plan: 'STANDARD', startedAt: new Date('2030-01-01T12:00:00Z'), endsAt },
  ...{ renews: true, cancelAtEnd: false, nextPlan: null },
};
const DAY_MS = 86_400_000;

type Acts = 'cancel' | 'resume' | 'change';

/** A server on which the acts do what they say. */
function serverWith(begin: Subscription) {
  let now = begin;
  const act = (fields: (input: unknown) => Partial<Subscription>) =>
    vi.fn((input: unknown) => {
      now = { ...now, ...fields(input) };
      return now;
    });
  const acts: Record<Acts, ReturnType<typeof act>> = {
    cancel: act(() => ({ cancelAtEnd: true, nextPlan: null })),
    resume: act(() => ({ cancelAtEnd: false, nextPlan: null })),
    change: act(() => ({ cancelAtEnd: false, nextPlan: 'BASIC' })),
  };
  const deployments = ['One', 'Two'].map((name, day) =>
    deploymentOf({ id: name, name, latestRelease: null, createdAt: new Date(day * DAY_MS) }),
  );
  const answers: Answers = {
    'subscription.get': () => now,
    'subscription.allowance': () => allowanceOf({ plan: begin.plan, deploymentLimit: 3 }),
    'subscription.cancel': acts.cancel,
    'subscription.resume': acts.resume,
    'subscription.change': acts.change,
    'deployments.list': () => ({ items: deployments, nextCursor: null }),
  };
  return { acts, answers };
}

beforeEach(() => {
  vi.restoreAllMocks();
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 401 }));
  signInAs(ada);
});

const inDialog = (text: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('[role="dialog"] button, [role="alertdialog"] button')].find(
    (button) => button.textContent === text,
  );
const press = (text: string) => inDialog(text)?.click();

test('the end of a plan is said as it comes', () => {
  expect(endLabel(standard)).toMatch(/^It renews on /);
  expect(endLabel({ ...standard, cancelAtEnd: true })).toMatch(/^It is cancelled, and ends on /);
  expect(endLabel({ ...standard, nextPlan: 'BASIC' })).toMatch(/^It becomes Basic on /);
  const earlier = { ...standard, renewsAt: new Date(endsAt.getTime() - 20 * DAY_MS) };
  expect(endLabel(earlier)).toBe('It renews on Jan 12, 2030. If that fails, you keep it until Feb 1, 2030.');
  expect(endLabel({ ...earlier, nextPlan: 'BASIC' })).toBe('It becomes Basic on Jan 12, 2030.');
  expect(endLabel({ ...standard, renews: false })).toContain('No automatic renewal.');
  expect(endLabel({ ...standard, status: 'expired' })).toBeNull();
});

test('the dashboard says within a week that a plan ends, and nothing of one that renews', () => {
  const at = (daysLeft: number) => new Date(endsAt.getTime() - daysLeft * DAY_MS);
  const title = (subscription: Subscription, now: Date) => endingItems(subscription, now)[0]?.title;
  expect(title(standard, at(2))).toBeUndefined();
  expect(title({ ...standard, cancelAtEnd: true }, at(8))).toBeUndefined();
  expect(title({ ...standard, cancelAtEnd: true }, at(6))).toMatch(/^Your Standard plan ends on /);
  expect(title({ ...standard, nextPlan: 'BASIC' }, at(1))).toMatch(/^Your Standard plan becomes Basic on /);
  expect(title({ ...standard, status: 'trialing', renews: false }, at(6))).toMatch(/^Your trial of Standard ends on /);
  expect(title({ ...standard, cancelAtEnd: true }, at(-1))).toBeUndefined();
});

test('a plan is canceled after the person has read what becomes of the deployments', async () => {
  const { acts, answers } = serverWith(standard);
  using shown = showScreen(<PlanSetting isBetaTester={false} />, answers);
  await shown.sees('It renews on');
  shown.button('Cancel plan').click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('stay live and become read-only'));
  const choices = [...document.querySelectorAll('[role="alertdialog"] button')].map(({ textContent }) => textContent);
  expect(choices).toEqual(['Keep the plan', 'Cancel plan']);
  press('Cancel plan');
  await vi.waitFor(() => expect(acts.cancel).toHaveBeenCalledTimes(1));
});

test('a canceled plan can be kept', async () => {
  const { acts, answers } = serverWith({ ...standard, cancelAtEnd: true });
  using shown = showScreen(<PlanSetting isBetaTester={false} />, answers);
  await shown.sees('It is cancelled');
  shown.button('Keep Standard').click();
  await vi.waitFor(() => expect(acts.resume).toHaveBeenCalledTimes(1));
});

test('a smaller plan is chosen with the names of what becomes read-only', async () => {
  const { acts, answers } = serverWith(standard);
  using shown = showScreen(<PlanSetting isBetaTester={false} />, answers);
  await shown.sees('It renews on');
  shown.button('Choose a smaller plan').click();
  await vi.waitFor(() =>
    expect([...document.querySelectorAll('[role=dialog] li')].map(({ textContent }) => textContent)).toEqual([
      'With Basic you can change the deployment that you published last: “Two”. You can choose another then.',
      'There you can publish on the primary platform only, and change the domain that you chose, or added first if you chose none. Everything else stays live as it is.',
      '“One” stays live and becomes read-only.',
    ]),
  );
  press('Choose Basic');
  await vi.waitFor(() => expect(acts.change).toHaveBeenCalledTimes(1));
  expect(acts.change.mock.calls[0]?.[0]).toEqual({ plan: 'BASIC' });
});

test('a smaller plan waits to be chosen until it is said what it has no place for: what comes would move the button', async () => {
  const { acts, answers } = serverWith(standard);
  const list = answers['deployments.list'];
  let tell = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  answers['deployments.list'] = async (input) => {
    await told;
    return list?.(input);
  };
  using shown = showScreen(<PlanSetting isBetaTester={false} />, answers);
  await shown.sees('It renews on');
  shown.button('Choose a smaller plan').click();
  await vi.waitFor(() => expect(inDialog('Choose Basic')?.disabled).toBe(true));
  press('Choose Basic');
  tell();
  await vi.waitFor(() => expect(inDialog('Choose Basic')?.disabled).toBe(false));
  expect(acts.change).not.toHaveBeenCalled();
});

test('what becomes read-only is told apart where two have one name', () => {
  const deployments = [1, 2, 3, 4, 5].map((number) =>
    deploymentOf({ name: 'Harbour', slug: number === 1 ? 'harbour' : `harbour-${number}`, latestRelease: null }),
  );
  expect(readOnlyTexts('BASIC', { deployments, count: 5 }).join()).toContain('Harbour (harbour-5)');
});

test('what a smaller plan has less of beside deployments is said where all of them have a place', () => {
  const none = { deployments: [], count: 0 };
  expect(readOnlyTexts('STANDARD', none)).toEqual([
    'Standard has room for all of your deployments.',
    'There you can publish on the primary platform only, and change the 5 domains that you chose, or added first if you chose none. Everything else stays live as it is.',
  ]);
  expect(readOnlyTexts('PRO', none)).toEqual(['Pro has room for all of your deployments.']);
});

test('what does not renew has nothing to cancel', async () => {
  using shown = showScreen(<PlanSetting isBetaTester={false} />, serverWith({ ...standard, renews: false }).answers);
  await shown.sees('No automatic renewal.');
  expect(shown.page.querySelectorAll('button')).toHaveLength(0);
});
