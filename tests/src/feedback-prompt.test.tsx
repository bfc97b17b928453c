import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getCache } from '../../src/api/get-cache.ts';
import { session } from '../../src/api/session/session.ts';
import { signInAs } from '../../src/api/user.ts';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { FeedbackPrompt } from '../../src/features/feedback/feedback-prompt.tsx';
import { appStartedAtMs, isCalm } from '../../src/features/feedback/use-feedback-prompt.ts';
import { ada } from '../support/screen-fixtures.ts';

const MINUTE_MS = 60_000;

/** The answer of the server to `feedback.rate`, and the requests that it got. */
let answer: () => unknown = () => ({ result: { data: { json: { done: true } } } });
let sent: unknown[] = [];
/** The answer of `deployments.list` to the signed-in person. */
let live: unknown[] = [];
let asked = 0;
let whenAsked = () => {};

/** The elements below the floating button; happy-dom lays nothing out. */
let below: Element[] = [];
Object.defineProperty(document, 'elementsFromPoint', { value: () => below, configurable: true });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  clearToasts();
  sent = [];
  live = [];
  asked = 0;
  below = [];
  history.replaceState(null, '', '/dashboard');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (String(input).includes('deployments.list')) {
      asked += 1;
      whenAsked();
      return Response.json([{ result: { data: { json: { items: live, nextCursor: null } } } }]);
    }
    if (!String(input).includes('feedback.rate')) return new Response('{}', { status: 401 });
    sent.push(JSON.parse(String(init?.body)));
    return Response.json([answer()]);
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  document.body.replaceChildren();
});

function there<Value>(value: Value | null | undefined): Value {
  return value ?? expect.fail('It is not on the page.');
}

function show() {
  const page = document.body.appendChild(document.createElement('main'));
  const root = createRoot(page);
  flushSync(() =>
    root.render(
      <>
        <input aria-label="Something to type in" />
        <FeedbackPrompt />
      </>,
    ),
  );
  return { page, [Symbol.dispose]: () => root.unmount() };
}

const untilAskedMs = () => appStartedAtMs + MINUTE_MS - performance.now();
const dialog = () => document.querySelector('[role="dialog"]');
const buttons = () => [...document.querySelectorAll('button')];
const button = (name: string) => buttons().find((one) => one.textContent === name || one.ariaLabel === name);
const press = (name: string) => flushSync(() => there(button(name)).click());
/** The dialog is a file of its own, which a busy machine takes a while to fetch. */
const until = (isSo: () => void) => vi.waitFor(isSo);
const opened = () => until(() => expect(dialog()).not.toBeNull());
const toast = () => toasts.get().find(({ isOpen }) => isOpen);
const filled = () => document.querySelectorAll('[data-filled="true"]').length;
const comment = () => there(document.querySelector('textarea'));

function submit(): void {
  flushSync(() => there(document.querySelector('form')).requestSubmit());
}

function write(text: string): void {
  const setValue = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
  setValue?.call(comment(), text);
  flushSync(() => comment().dispatchEvent(new Event('input', { bubbles: true })));
}

test('a minute after the start it asks by itself, once a browser session, and not while somebody types', async () => {
  using shown = show();
  const field = there(shown.page.querySelector('input'));
  field.focus();
  await vi.advanceTimersByTimeAsync(untilAskedMs() + 5_000);
  expect(sessionStorage.length).toBe(0);
  field.blur();
  await vi.advanceTimersByTimeAsync(1_000);
  await opened();
  expect(dialog()?.textContent).toContain('Help us improve by sharing your experience with the product.');
  press('Not now');
  await until(() => expect(dialog()).toBeNull());

  using later = show();
  await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
  expect(later.page.textContent).toContain('Rate Your Experience');
  expect(dialog()).toBeNull();
});

test('it waits until something is live, and while files are chosen', async () => {
  signInAs({ ...ada, deploymentCount: 1 });
  using shown = show();
  await vi.advanceTimersByTimeAsync(untilAskedMs() + 5_000);
  await until(() => expect(asked).toBe(1));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sessionStorage.length).toBe(0);
  const files = shown.page.appendChild(document.createElement('section'));
  files.dataset.chosen = '';
  live = [{ id: 'harbour' }];
  getCache.clear();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(sessionStorage.length).toBe(0);
  files.remove();
  await vi.advanceTimersByTimeAsync(1_000);
  await until(() => expect(asked).toBe(2));
  await vi.advanceTimersByTimeAsync(MINUTE_MS - 1_000);
  expect(sessionStorage.length).toBe(0);
  await vi.advanceTimersByTimeAsync(1_000);
  await opened();
  session.signOut();
});

test('on the page of a release, whose outcome is awaited, it waits', async () => {
  history.replaceState(null, '', '/deployments/harbour/releases/1');
  using _shown = show();
  await vi.advanceTimersByTimeAsync(untilAskedMs() + MINUTE_MS);
  expect(sessionStorage.length).toBe(0);
  history.replaceState(null, '', '/deployments');
  await vi.advanceTimersByTimeAsync(1_000);
  await opened();
});

test('it asks by itself where one only looks, and waits where something is done', async () => {
  const calm = ['/', '/faq', '/help', '/dashboard', '/deployments', '/deployment-history', '/domains', '/certificates'];
  const ways = ['/disclaimer', '/beta-welcome', '/login', '/register', '/auth', '/auth/reset', '/pricing'];
  const plans = ['/subscription/pricing', '/subscription/success', '/subscription/cancel', '/checkout/test/1'];
  const tasks = [
    '/about',
    '/diagnostics',
    '/domains/1',
    '/deployments/1',
    '/new-deployment',
    '/quick-deploy',
    '/account',
  ];
  expect([...calm, ...ways, ...plans, ...tasks].filter(isCalm)).toEqual(calm);

  history.replaceState(null, '', '/domains/1');
  using _shown = show();
  await vi.advanceTimersByTimeAsync(untilAskedMs() + 25_000);
  expect(sessionStorage.length).toBe(0);
  history.replaceState(null, '', '/dashboard');
  await vi.advanceTimersByTimeAsync(1_000);
  await opened();
});

test('it does not ask on a press, one made while the server is asked whether anything is live included', async () => {
  signInAs({ ...ada, deploymentCount: 1 });
  live = [{ id: 'harbour' }];
  getCache.clear();
  const activation = { isActive: true };
  vi.stubGlobal('navigator', Object.create(navigator, { userActivation: { value: activation } }));
  using _shown = show();
  await vi.advanceTimersByTimeAsync(untilAskedMs() + 5_000);
  expect([asked, sessionStorage.length]).toEqual([0, 0]);
  activation.isActive = false;
  whenAsked = () => {
    activation.isActive = true;
  };
  await vi.advanceTimersByTimeAsync(1_000);
  await until(() => expect(asked).toBe(1));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sessionStorage.length).toBe(0);
  whenAsked = () => {};
  activation.isActive = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await opened();
  session.signOut();
});

test('its words are read at every width, and it leaves a control or text below it free', async () => {
  using shown = show();
  const words = there([...document.querySelectorAll('span')].find((one) => one.textContent === 'Rate Your Experience'));
  expect(words.className).not.toContain('sr-only');
  const place = there(button('Rate Your Experience')?.parentElement);
  const isAway = () => place.className.includes('opacity-0');
  const lookAgain = async () => {
    window.dispatchEvent(new Event('resize'));
    await vi.advanceTimersByTimeAsync(100);
    await new Promise((resolve) => setImmediate(resolve));
    flushSync(() => {});
  };

  // Without a layout the button itself is a point at the corner.
  let lines = new DOMRect(-9, -9, 18, 18);
  vi.spyOn(Range.prototype, 'getClientRects').mockImplementation(() => Object.assign([lines], { item: () => lines }));
  const text = shown.page.appendChild(document.createElement('p'));
  text.textContent = 'Where each of your deployments answers.';
  const link = shown.page.appendChild(document.createElement('a'));
  link.href = '/domains';
  const footerLink = document.body
    .appendChild(document.createElement('footer'))
    .appendChild(document.createElement('a'));
  footerLink.href = '/subscription/refunds';
  const look = async (element: Element) => {
    below = [element];
    await lookAgain();
    return isAway();
  };
  expect([await look(shown.page), await look(text), await look(shown.page), await look(link)]).toEqual([
    ...[false, true],
    ...[false, true],
  ]);
  expect([await look(shown.page), await look(footerLink)]).toEqual([false, true]);
  for (const kind of ['input', 'textarea', 'select'] as const) {
    const field = shown.page.appendChild(document.createElement(kind));
    expect([kind, await look(shown.page), await look(field)]).toEqual([kind, false, true]);
  }
  // A paragraph is as wide as its column, whose end the last line does not reach.
  lines = new DOMRect(-90, -9, 18, 18);
  expect(await look(text)).toBe(false);
});

test('it asks at the sixtieth second and no sooner', async () => {
  using _shown = show();
  await vi.advanceTimersByTimeAsync(untilAskedMs() - 1);
  expect(sessionStorage.length).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  await opened();
});

test('dismissed, the button is gone for good and nothing asks any more', async () => {
  using shown = show();
  press('Dismiss');
  expect(shown.page.textContent).not.toContain('Rate Your Experience');
  expect(Object.entries(localStorage).filter(([key]) => key.includes('main-app'))).toHaveLength(1);
  using again = show();
  expect(again.page.textContent).not.toContain('Rate Your Experience');
  await vi.advanceTimersByTimeAsync(untilAskedMs() + MINUTE_MS);
  expect(sessionStorage.length).toBe(0);
});

test('on a phone it makes way while one reads on, and is back on the way up and at the end', () => {
  using _shown = show();
  const place = there(button('Rate Your Experience')?.parentElement);
  const isAway = () => place.className.includes('opacity-0');
  const heights = { scrollY: 0, innerHeight: 700 };
  vi.spyOn(window, 'scrollY', 'get').mockImplementation(() => heights.scrollY);
  vi.spyOn(window, 'innerHeight', 'get').mockImplementation(() => heights.innerHeight);
  vi.spyOn(document.documentElement, 'scrollHeight', 'get').mockReturnValue(3_000);
  const scrollTo = (top: number) => {
    heights.scrollY = top;
    flushSync(() => window.dispatchEvent(new Event('scroll')));
  };

  const seen = [300, 600, 500, 900, 2_300].map((top) => {
    scrollTo(top);
    return isAway();
  });

  expect(seen).toEqual([true, true, false, true, false]);
});

test('no stars are refused, a failure keeps what was typed, success empties, closes and hides', async () => {
  using shown = show();
  press('Rate Your Experience');
  await opened();
  submit();
  expect(toast()).toMatchObject({
    title: 'Please select a rating',
    description: 'Let us know what you think by selecting a star rating.',
  });
  expect(sent).toEqual([]);
  const rating = there(document.querySelector('[role=radiogroup]'));
  const said = there(rating.querySelector('[role=alert]'));
  expect(said.textContent).toBe('Please select a rating');
  expect([rating.getAttribute('aria-invalid'), rating.getAttribute('aria-describedby')]).toEqual(['true', said.id]);

  const stars = [...document.querySelectorAll<HTMLInputElement>('input[type=radio]')];
  expect(new Set(stars.map(({ name }) => name)).size, 'one group: arrow keys go from star to star').toBe(1);
  flushSync(() => there(stars[3]).click());
  expect(filled()).toBe(4);
  expect([rating.querySelector('[role=alert]'), rating.getAttribute('aria-invalid')]).toEqual([null, null]);
  const hovered = there(stars[1]?.parentElement);
  flushSync(() => hovered.dispatchEvent(new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' })));
  await until(() => expect(filled(), 'a preview').toBe(2));
  flushSync(() =>
    hovered.dispatchEvent(new PointerEvent('pointerout', { bubbles: true, relatedTarget: document.body })),
  );
  await until(() => expect(filled(), 'the choice again').toBe(4));

  write('  The upload stopped ');
  for (const [message, description] of [
    ['Closed today.', 'Closed today.'],
    ['', 'Please try again later.'],
  ] as const) {
    answer = () => ({ error: { json: { message, code: -32603, data: { code: 'internal', requestId: 'r' } } } });
    await until(() => expect(document.querySelector('[aria-busy]')).toBeNull());
    submit();
    const title = 'Failed to submit feedback';
    await until(() => expect(toast()).toMatchObject({ title, description, variant: 'destructive' }));
  }
  expect([dialog() === null, comment().value, filled()]).toEqual([false, '  The upload stopped ', 4]);

  answer = () => ({ result: { data: { json: { done: true } } } });
  await until(() => expect(document.querySelector('[aria-busy]')).toBeNull());
  submit();
  await until(() => expect(toast()?.title).toBe('Thank you for your feedback!'));
  expect(toast()?.description).toBe('Your feedback helps us improve the product.');
  expect(sent.at(-1)).toEqual({ 0: { json: { rating: 4, comment: 'The upload stopped', deploymentId: 'main-app' } } });
  await until(() => expect(dialog()).toBeNull());
  expect(shown.page.textContent).not.toContain('Rate Your Experience');
  expect(Object.keys(sessionStorage).filter((key) => key.includes('draft'))).toEqual([]);
});
