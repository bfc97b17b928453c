import { afterEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../routers/schemas/connections.ts';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import { HOSTING_PLATFORMS } from '../../routers/schemas/platforms/ids.ts';
import { refusalByLimits } from '../../routers/schemas/platforms/limits.ts';
import { optionFieldsOf } from '../../routers/schemas/platforms/option-fields.ts';
import { PLATFORM_OPTIONS } from '../../routers/schemas/platforms/options.ts';
import { PLATFORM_SETUPS } from '../../routers/schemas/platforms/setups.ts';
import { MendConnection } from '../../src/components/states/mend-connection.tsx';
import { PlatformDrawing } from '../../src/components/states/platform-drawing.tsx';
import { AskedByAddress } from '../../src/features/connections/asked-by-address.tsx';
import { ConnectDialog } from '../../src/features/connections/connect-dialog.tsx';
import { ConnectionCard } from '../../src/features/connections/connection-card.tsx';
import { RemoveConnectionDialog } from '../../src/features/connections/remove-connection-dialog.tsx';
import { consentsOf, destinationOf, missingChoice } from '../../src/features/deployments/create/destination-fields.ts';
import { AttentionList } from '../../src/features/deployments/manage/attention/attention-list.tsx';
import { PlatformSetup } from '../../src/features/deployments/setup/platform-setup.tsx';
import { NewDeploymentScreen } from '../../src/screens/new-deployment.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { type Answers, showScreen, typeInto } from '../support/screen.tsx';
import { allowanceOf, connectionOf, deploymentOf } from '../support/screen-fixtures.ts';

afterEach(() => {
  setWaiting(null);
  sessionStorage.clear();
  document.body.replaceChildren();
});

const WORKING = 'w'.repeat(20);

const broken = connectionOf({
  state: 'broken',
  problem: { message: 'Netlify no longer accepts the token of this connection.', hint: 'Connect it again.' },
  deployments: [{ id: 'harbour', name: 'harbour', url: 'https://harbour.netlify.app' }],
});

test('a connection that stopped working stands on the dashboard, with the reason and the way to mend it', async () => {
  const answers: Answers = {
    'connections.list': () => ({ items: [broken, connectionOf({ id: 'b' })], signIn: [], tokenPages: {} }),
  };
  using shown = showScreen(<AttentionList deployments={[deploymentOf()]} allowance={allowanceOf()} />, answers);
  await shown.sees('Netlify · anna@example.com stopped working');
  expect(shown.page.textContent).toContain(
    'Netlify no longer accepts the token of this connection. What is live stays live, but harbour cannot be changed until the token is replaced.',
  );
  expect(shown.linkTo('Replace token')).toBe('/settings?replace=netlify-1');
  expect(shown.page.querySelectorAll('li')).toHaveLength(1);
});

test('who makes a token is led where the operator has the platform', async () => {
  const tokenPages = { 'github-pages': 'https://harbour.ghe.com/settings/tokens' };
  const list = { items: [], signIn: [], tokenPages };
  const dialog = (provider: 'github-pages' | 'netlify') => (
    <ConnectDialog providers={[provider]} onClose={() => undefined} />
  );
  const pageOf = () => document.body.querySelector('a[target="_blank"]')?.getAttribute('href');
  {
    using _shown = showScreen(dialog('github-pages'), { 'connections.list': () => list });
    await vi.waitFor(() => expect(pageOf()).toBe('https://harbour.ghe.com/settings/tokens'));
  }
  using _shown = showScreen(dialog('netlify'), { 'connections.list': () => list });
  await vi.waitFor(() => expect(pageOf()).toContain('https://app.netlify.com/user/applications'));
});

test('who replaces a token by the link of what waits for it returns there, and who came otherwise stays', async () => {
  const back = vi.spyOn(history, 'back').mockReturnValue();
  const list = { items: [broken], signIn: [], tokenPages: {} };
  const dialogs = (
    <>
      <MendConnection lost={{ provider: 'netlify', connectionId: broken.id }} />
      <AskedByAddress />
    </>
  );
  using shown = showScreen(dialogs, { 'connections.list': () => list }, { pattern: '*', path: '/release' });
  const cancel = async () => {
    const one = () => [...document.body.querySelectorAll('button')].find(({ textContent }) => textContent === 'Cancel');
    await vi.waitFor(() => expect(one()).toBeDefined());
    one()?.click();
  };
  shown.page.querySelector('a')?.click();
  expect(location.pathname + location.search).toBe('/settings?replace=netlify-1');
  await cancel();
  expect(back).toHaveBeenCalledOnce();

  history.replaceState(null, '', '/settings?replace=netlify-1');
  await cancel();
  expect(location.search).toBe('');
  expect(back).toHaveBeenCalledOnce();
  back.mockRestore();
});

/** Refuses what the app asks for by plain requests after each mutation. */
function noServer() {
  return vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('There is no server.'));
}

function buttonNow(name: string): Promise<HTMLElement> {
  const find = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);
  return vi.waitFor(() => find() ?? expect.fail(`There is no button ${name}`));
}

test('who replaces a token by the link of the dashboard returns there once it is replaced', async () => {
  using _refresh = noServer();
  const back = vi.spyOn(history, 'back').mockReturnValue();
  const screens = (
    <>
      <AttentionList deployments={[deploymentOf()]} allowance={allowanceOf()} />
      <AskedByAddress />
    </>
  );
  const server: Answers = {
    'connections.list': () => ({ items: [broken], signIn: [], tokenPages: {} }),
    'connections.replace': () => connectionOf(),
  };
  using shown = showScreen(screens, server, { pattern: '*', path: '/dashboard' });
  await shown.sees('Replace token');
  [...shown.page.querySelectorAll('a')].find(({ textContent }) => textContent === 'Replace token')?.click();
  const connect = await buttonNow('Connect');
  typeInto(document, 'token', 'a-new-token');
  connect.click();
  await vi.waitFor(() => expect(back).toHaveBeenCalledOnce());
  back.mockRestore();
});

const MEND = <MendConnection lost={{ provider: 'netlify', connectionId: null }} />;
const RELEASE = '/deployments/harbour/releases/3?file=a';

test.each([
  ['a release, connected', RELEASE, MEND, '&code=c'],
  ['a release, cancelled', RELEASE, MEND, '&error=access_denied'],
  ['a setup page, connected', '/deploy/netlify', <ConnectionCard provider="netlify" key="card" />, '&code=c'],
])('who signs in at a platform returns to what waits for it: %s', async (_end, path, waiting, answer) => {
  using _refresh = noServer();
  const goTo = vi.spyOn(window.location, 'assign').mockReturnValue();
  const screens = (
    <>
      {waiting}
      <AskedByAddress />
    </>
  );
  const server: Answers = {
    'connections.list': () => ({ items: [], signIn: ['netlify'], tokenPages: {} }),
    'connections.authorize': () => ({ url: 'https://app.netlify.com/authorize' }),
    'connections.finishAuthorization': () => connectionOf(),
  };
  using shown = showScreen(screens, server, { pattern: '*', path });
  const press = () => shown.page.querySelector<HTMLElement>('a[href^="/settings"], button') ?? expect.fail('no way');
  (await vi.waitFor(press)).click();
  (await buttonNow('Sign in with Netlify')).click();
  await vi.waitFor(() => expect(goTo).toHaveBeenCalledWith('https://app.netlify.com/authorize'));
  history.replaceState(null, '', `/settings?state=netlify.s${answer}`);
  const here = () => location.pathname + location.search;
  await vi.waitFor(() => expect(here()).toBe(path));
  goTo.mockRestore();
});

test('who removes a connection is told of each deployment by its name and its address', async () => {
  const deployments = [...broken.deployments, { id: 'quay', name: 'quay', url: '' }];
  const connection = { ...broken, deployments };
  using _shown = showScreen(<RemoveConnectionDialog connection={connection} onClose={() => undefined} />, {});
  const items = () => [...document.body.querySelectorAll('[role="alertdialog"] li, [role="dialog"] li')];
  await vi.waitFor(() => expect(items()).toHaveLength(2));
  expect(items().map((item) => item.textContent)).toEqual(['harbour, harbour.netlify.app', 'quay']);
  // They can be deleted, and a draft is not live.
  expect(document.body.textContent).toContain(
    'What is live stays live, but without this connection you cannot publish the deployments below or roll them back. If you delete one, its files stay at Netlify.',
  );
});

test('who removes a DNS connection is told of the domains whose certificates may need it', async () => {
  const common = connectionOf();
  const domains = [{ id: 'd', name: 'harbour.example' }];
  const connection: Connection = { ...common, kind: 'dns', provider: 'hetzner', domains, lostZones: [] };
  using _shown = showScreen(<RemoveConnectionDialog connection={connection} onClose={() => undefined} />, {});
  await vi.waitFor(() => expect(document.body.textContent).toContain('harbour.example'));
  expect(document.body.textContent).toContain(
    'These domains may need this connection to renew their certificates through DNS:',
  );
});

function dropped(files: Record<string, string>): void {
  setWaiting({
    name: 'harbour',
    files: Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) })),
  });
}

const answers: Answers = {
  'subscription.allowance': () => allowanceOf(),
  'deployments.checkAddress': () => ({ wanted: 'harbour', slug: 'harbour' }),
  'deployments.list': () => ({ items: [], nextCursor: null }),
  'connections.list': () => ({
    items: [broken, connectionOf({ id: WORKING, identity: 'acme' })],
    signIn: [],
    tokenPages: {},
  }),
  'connections.targets': () => ({ items: [{ id: 'team-1', name: 'Harbour crew' }] }),
};
const place = { pattern: '/new-deployment', path: '/new-deployment?platform=netlify' };

test('a new deployment goes by a connection that works, under the team that is chosen', async () => {
  dropped({ 'index.html': '<h1>Harbour</h1>' });
  const created: unknown[] = [];
  using shown = showScreen(
    <NewDeploymentScreen />,
    { ...answers, 'deployments.create': (input) => void created.push(input) },
    place,
  );
  document.body.append(shown.page);
  await shown.sees('Publish under');
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await vi.waitFor(() => expect(created).toHaveLength(1));
  expect(created[0]).toMatchObject({ name: 'harbour', platform: 'netlify', connectionId: WORKING });
});

test('nothing is published before the accounts are known', async () => {
  dropped({ 'index.html': '<h1>Harbour</h1>' });
  let arrive = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const held = async () => {
    await arrived;
    return answers['connections.list']?.(undefined);
  };
  using shown = showScreen(<NewDeploymentScreen />, { ...answers, 'connections.list': held }, place);
  await shown.sees('Choose your Netlify account first.');
  expect(shown.button('Publish').disabled).toBe(true);
  arrive();
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
});

test('nothing is published by an account whose token is known to be refused', async () => {
  dropped({ 'index.html': '<h1>Harbour</h1>' });
  const problem = { message: 'Confirm it at https://app.netlify.com/teams.', hint: null };
  const list = { items: [{ ...broken, problem }], signIn: [], tokenPages: {} };
  const targets = vi.fn();
  const given = { ...answers, 'connections.list': () => list, 'connections.targets': targets };
  using shown = showScreen(<NewDeploymentScreen />, given, place);
  await shown.sees('Replace the token of Netlify first.');
  expect(shown.button('Publish').disabled).toBe(true);
  expect(shown.linkTo('app.netlify.com/teams')).toBe('https://app.netlify.com/teams');
  expect(targets).not.toHaveBeenCalled();
});

test('a site at Render needs an account at GitHub as well', () => {
  const options = { publicFiles: true };
  expect(missingChoice({ platform: 'render', connectionId: WORKING, options })).toBe(
    'Choose your GitHub account first.',
  );
  expect(missingChoice({ platform: 'render', connectionId: WORKING, options }, [connectionOf({ id: WORKING })])).toBe(
    'Connect your GitHub account first.',
  );
});

test('a file that the platform does not take is named before anything is sent', async () => {
  dropped({ 'index.html': '<h1>Harbour</h1>', 'what#now.html': 'x' });
  using shown = showScreen(<NewDeploymentScreen />, answers, place);
  await shown.sees('Netlify does not take what#now.html: the name has a character that is not allowed.');
  expect(shown.button('Publish').disabled).toBe(true);
});

test.each([
  ['a file', { maxFileBytes: 1024 ** 2 }, 'X does not take img/film.mp4: it is 2 MB, and the limit is 1 MB.', 'Make'],
  ['their number', { maxFiles: 3 }, 'X takes at most 3 files; there are 4.', 'Most are in lib (2) and img (1).'],
  [
    'their sum',
    { maxTotalBytes: 1024 ** 2 },
    'X takes at most 1 MB; these files are 2.5 MB.',
    'The largest are img/film.mp4 (2 MB), lib/a.js (0.5 MB), and index.html (0 MB).',
  ],
  [
    'their sum, which the platform counts in thousands,',
    { maxTotalBytes: 1_000_000 },
    'X takes at most 1 MB; these files are 2.62 MB.',
    'The largest are img/film.mp4 (2.1 MB), lib/a.js (0.52 MB), and index.html (0 MB).',
  ],
])('limits of %s are held against the files, and name where most of it is', (_what, limits, message, where) => {
  const files = [
    { path: 'index.html', sizeBytes: 2 },
    { path: 'img/film.mp4', sizeBytes: 2 * 1024 ** 2 },
    { path: 'lib/a.js', sizeBytes: 1024 ** 2 / 2 },
    { path: 'lib/b.js', sizeBytes: 1 },
  ];
  const capabilities = { limits: { releaseMs: 1, settleMs: 1, ...limits }, refusedNames: null, foldsCase: false };
  const refusal = refusalByLimits(capabilities, 'X', files);
  expect(refusal?.message).toBe(message);
  expect(refusal?.hint.startsWith(where)).toBe(true);
  expect(refusalByLimits({ ...capabilities, limits: { releaseMs: 1, settleMs: 1 } }, 'X', files)).toBeNull();
});

test('every platform that can be published to says what it wants to be agreed to, and takes it once it is', () => {
  for (const platform of Object.keys(PLATFORM_CAPABILITIES) as (keyof typeof PLATFORM_CAPABILITIES)[]) {
    const consents = consentsOf({ platform });
    const agreed = Object.fromEntries(consents.map(({ name }) => [name, true]));
    const connectionId = WORKING;
    const accounts = platform === 'render' ? { githubConnectionId: WORKING } : {};
    const given = { ...accounts, ...agreed };
    expect(missingChoice({ platform, connectionId, options: accounts }) === null).toBe(consents.length === 0);
    expect(missingChoice({ platform, connectionId, options: given })).toBeNull();
    expect(PLATFORM_OPTIONS[platform].safeParse(given).success).toBe(true);
    expect(consents.every(({ words }) => words.length > 20)).toBe(true);
  }
});

test.each(HOSTING_PLATFORMS)('the limits of %s are shown with where they were read', (platform) => {
  const { limits, limitsFrom } = PLATFORM_SETUPS[platform];
  expect(limitsFrom !== null).toBe(limits.length > 0);
  using shown = showScreen(<PlatformSetup platform={platform} />, {});
  if (limitsFrom === null) return;
  expect(shown.page.textContent).toContain(`Limits from: ${limitsFrom}.`);
  expect(limitsFrom).toMatch(/ 20\d\d/);
  expect(optionFieldsOf(platform).filter(({ label }) => !shown.page.textContent.includes(label))).toEqual([]);
});

test('the price that is agreed to is that of the dyno that was chosen', () => {
  const wordsFor = (options: Record<string, string>) => consentsOf({ platform: 'heroku', options })[0]?.words;
  expect(wordsFor({})).toBe('I agree to pay Heroku $7 a month for a Basic dyno.');
  expect(wordsFor({ dyno: 'eco' })).toBe('I agree to pay Heroku $5 a month for all my Eco dynos together.');
});

test('each platform wears a mark of its own', async () => {
  const paths = new Set<string>();
  for (const platform of HOSTING_PLATFORMS) {
    using shown = showScreen(<PlatformDrawing platform={platform} />, {});
    paths.add(shown.page.querySelector('path')?.getAttribute('d') ?? '');
  }
  expect(paths.size).toBe(HOSTING_PLATFORMS.length);
  expect([...paths].every((path) => /^[Mm][\d.]/.test(path))).toBe(true);
});

test('what was chosen for one platform is not sent with another', () => {
  expect(destinationOf({ platform: 'built-in', connectionId: 'a', targetId: 'b', options: {} })).toEqual({
    platform: 'built-in',
  });
});
