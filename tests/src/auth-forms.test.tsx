import { flushSync } from 'react-dom';
import { expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { toasts } from '../../src/components/overlays/toast-store.ts';
import { followDrafts } from '../../src/lib/storage/draft-storage.ts';
import { routes } from '../../src/routes.tsx';
import { typeInto } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';
import { follow, press, showApp, shown, textsOf } from '../support/shown-app.tsx';

const SAILOR = { username: 'sailor', email: 'sailor@example.com', password: 'Anchor weigh 1' };

function fill(values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) typeInto(document, name, value);
}

async function submit(): Promise<void> {
  // A form is free again a moment after it has said what is wrong.
  await vi.waitFor(() =>
    expect(document.querySelector('main form button[type="submit"][aria-disabled="true"]')).toBeNull(),
  );
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise((resolve) => setTimeout(resolve));
  flushSync(() =>
    document.querySelector('main form')?.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true })),
  );
}

function fieldOf(label: string): HTMLInputElement {
  const found = [...document.querySelectorAll<HTMLLabelElement>('main label')].find((one) => one.textContent === label);
  return document.querySelector<HTMLInputElement>(`[id="${found?.htmlFor}"]`) ?? expect.fail(`There is no ${label}.`);
}

/** The message stands at its own field: the field is marked wrong and names the message as its description. */
async function expectMessage(label: string, message: string): Promise<void> {
  await vi.waitFor(() => {
    const field = fieldOf(label);
    expect(field.getAttribute('aria-invalid'), label).toBe('true');
    const described = field.getAttribute('aria-describedby');
    expect(document.getElementById(described ?? '')?.textContent, label).toBe(message);
  });
}

const LABELS = { username: 'Username', email: 'Email', password: 'Password', confirmPassword: 'Confirm Password' };

/** The form and the server have one schema: all faults are asked of the server (tests/routers/auth.test.ts), here one a field. */
test.each([
  {
    path: '/login',
    right: { username: SAILOR.username, password: SAILOR.password },
    faults: {
      username: ['ab', 'Username must be at least 3 characters'],
      password: ['12345', 'Password must be at least 6 characters'],
    },
  },
  {
    path: '/register',
    right: { ...SAILOR, confirmPassword: SAILOR.password },
    faults: {
      username: ['ab', 'Username must be at least 3 characters'],
      email: ['sailor', 'Please enter a valid email address'],
      password: ['Abcdef1', 'Password must be at least 8 characters'],
      confirmPassword: ['Anchor weigh 12', "Passwords don't match"],
    },
  },
] as const)(
  '$path says what is wrong with each field, and sends nothing until it is right',
  async ({ path, right, faults }) => {
    await using app = showApp(path);
    await shown('label', 'Username');
    for (const name of ['username', 'email', 'password', 'confirmPassword'] as const) {
      const fault: readonly [string, string] | undefined = Reflect.get(faults, name);
      if (fault === undefined) continue;
      const [value, message] = fault;
      fill({ ...right, [name]: value, ...(name === 'password' && path === '/register' && { confirmPassword: value }) });
      await submit();
      await expectMessage(LABELS[name], message);
    }
    expect(app.calls.filter((procedure) => procedure.startsWith('auth.'))).toEqual([]);
  },
);

const refused = (message: string) => () =>
  Response.json(
    { error: { json: { message, code: -32_001, data: { code: 'refused', requestId: '1' } } } },
    { status: 401 },
  );
const broken = () => new Response('', { status: 502 });
const silent = () => {
  throw new TypeError('Failed to fetch');
};
const SILENCE = 'Fairlead cannot be reached. Check your connection and try again.';

test.each([
  ['/login', 'auth.login', 'Login failed', refused('Not this one.'), 'Not this one.'],
  ['/login', 'auth.login', 'Login failed', broken, 'Please check your credentials'],
  ['/login', 'auth.login', 'Login failed', silent, SILENCE],
  ['/register', 'auth.register', 'Registration failed', refused('It is taken.'), 'It is taken.'],
  ['/register', 'auth.register', 'Registration failed', broken, 'Please try a different username'],
  ['/register', 'auth.register', 'Registration failed', silent, SILENCE],
])(
  '%s: %s that fails says “%s”, keeps the form and ends there',
  async (path, procedure, title, answer, description) => {
    await using _app = showApp(path, { answers: { [procedure]: answer } });
    await shown('label', 'Username');
    fill(
      path === '/login'
        ? { username: 'sailor', password: SAILOR.password }
        : { ...SAILOR, confirmPassword: SAILOR.password },
    );
    await submit();
    await vi.waitFor(() => expect(toasts.get()).toMatchObject([{ title, description, variant: 'destructive' }]));
    expect(fieldOf('Username').value).toBe('sailor');
    expect(location.pathname).toBe(path);
    expect(session.hasToken()).toBe(false);
  },
);

test('a reload keeps name and email of a registration, no password; a logout elsewhere takes all away', async () => {
  const answers = { 'auth.register': () => ({ ...ada, username: SAILOR.username }) };
  const plansLoadedAt: string[] = [];
  vi.spyOn(routes.subscriptionPricing.screen, 'fetch').mockImplementation(async () => {
    plansLoadedAt.push(location.pathname);
  });
  await using _app = showApp('/register', { answers });
  await shown('label', 'Confirm Password');
  fill({ ...SAILOR, confirmPassword: SAILOR.password });
  expect(JSON.stringify({ ...sessionStorage })).not.toContain(SAILOR.password);
  // The form is new then, as after a reload.
  follow('/about');
  await shown('h1', 'About Fairlead');
  follow('/register');
  await shown('label', 'Confirm Password');
  expect(Object.values(LABELS).map((label) => fieldOf(label).value)).toEqual([SAILOR.username, SAILOR.email, '', '']);
  fill({ password: SAILOR.password, confirmPassword: SAILOR.password });
  followDrafts({ accountId: 'bob', isSignedOut: false });
  followDrafts({ accountId: null, isSignedOut: true });
  await vi.waitFor(() => expect(Object.values(LABELS).map((label) => fieldOf(label).value)).toEqual(['', '', '', '']));
  fill({ ...SAILOR, confirmPassword: SAILOR.password });
  await submit();
  await vi.waitFor(() => expect(session.hasToken()).toBe(true));
  expect(JSON.stringify({ ...sessionStorage })).not.toContain(SAILOR.email);
  await vi.waitFor(() => expect(plansLoadedAt[0], 'while the empty form is still shown').toBe('/register'));
});

test('a failed login stands at the form at once, whatever toast is open, until something is typed', async () => {
  await using _app = showApp('/login', { answers: { 'auth.login': refused('Not this one.') } });
  await shown('label', 'Username');
  fill({ username: 'sailor', password: SAILOR.password });
  await submit();
  await shown('main form .text-bad', 'Not this one.');
  expect(toasts.get()).toMatchObject([{ title: 'Login failed', isOpen: true }]);
  fill({ password: `${SAILOR.password}!` });
  expect(textsOf('main form .text-bad')).toEqual([]);
});

test('the login and register screen has the words of both forms, and says what is pending', async () => {
  const never = () => new Promise(() => {});
  await using _app = showApp('/login', { answers: { 'auth.login': never, 'auth.register': never } });
  await shown('h1', 'Fairlead');
  await shown('main p', 'Manage your domain deployments with ease');
  expect(textsOf('[role="tab"]')).toEqual(['Login', 'Register']);
  expect(textsOf('main label')).toEqual(['Username', 'Password']);
  await shown('main a', 'Forgot your password?');
  expect(fieldOf('Password').type).toBe('password');
  await press('main button', 'Show password');
  expect(fieldOf('Password').type).toBe('text');
  await press('main button', 'Hide password');
  expect(fieldOf('Password').type).toBe('password');
  fill({ username: 'sailor', password: SAILOR.password });
  await submit();
  await vi.waitFor(() => expect(textsOf('main form button').join()).toContain('Logging in...'));

  await press('[role="tab"]', 'Register');
  expect(textsOf('main label')).toEqual(['Username', 'Email', 'Password', 'Confirm Password']);
  expect(['Email', 'Password', 'Confirm Password'].map((label) => fieldOf(label).type)).toEqual([
    'email',
    'password',
    'password',
  ]);
  expect(textsOf('main form button').filter((name) => name === 'Show password')).toHaveLength(2);
  fill({ ...SAILOR, confirmPassword: SAILOR.password });
  await submit();
  await vi.waitFor(() => expect(textsOf('main form button').join()).toContain('Registering...'));
});

test('the bar and the list follow each character of a new password', async () => {
  await using _app = showApp('/register');
  await shown('label', 'Confirm Password');
  const meter = () => document.querySelector('[role="meter"]');
  for (const [password, percent, label, met] of [
    ['', '0', '', []],
    ['a', '16', 'Weak', ['A lowercase letter']],
    ['abcdefgh', '33', 'Fair', ['At least 8 characters', 'A lowercase letter']],
    ['aB1!efg', '66', 'Moderate', ['An uppercase letter', 'A lowercase letter', 'A number']],
    [
      'aB1 efghijkl',
      '100',
      'Strong',
      ['At least 8 characters', 'An uppercase letter', 'A lowercase letter', 'A number'],
    ],
    ['A', '16', 'Weak', ['An uppercase letter']],
  ] as const) {
    fill({ password });
    await vi.waitFor(() => expect(meter()?.getAttribute('aria-valuenow')).toBe(percent));
    expect(meter()?.parentElement?.textContent).toBe(label);
    const rules = textsOf('main form li');
    expect(rules.map((rule) => rule.replace(/ \(\w+\)$/, ''))).toEqual([
      'At least 8 characters',
      'An uppercase letter',
      'A lowercase letter',
      'A number',
    ]);
    expect(rules.filter((rule) => rule.endsWith('(done)')).map((rule) => rule.replace(' (done)', ''))).toEqual(met);
    expect(textsOf('main form li.text-good')).toHaveLength(met.length);
  }
});
