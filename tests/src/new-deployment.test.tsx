import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { NewDeploymentScreen } from '../../src/screens/new-deployment.tsx';
import { extentOf, publishedPart } from '../../src/uploads/selection/apply-rules.ts';
import type { Selection } from '../../src/uploads/selection/selection.ts';
import { sendings } from '../../src/uploads/sendings.ts';
import { askToReselect, setWaiting, stopReselect } from '../../src/uploads/waiting-selection.ts';
import { type Answers, refusal, showScreen, submit, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

afterEach(() => {
  setWaiting(null);
  stopReselect(null);
  sessionStorage.clear();
  document.body.replaceChildren();
});

const patiently = <Found,>(look: () => Found) => vi.waitFor(look);

function harbourOf(files: Record<string, string>): Selection {
  const picked = Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) }));
  return { name: 'harbour', files: picked };
}

function show(more: Answers = {}, path = '/new-deployment') {
  const answers = {
    'subscription.allowance': () => allowanceOf(),
    'deployments.checkAddress': () => ({ wanted: 'harbour', slug: 'harbour' }),
    'deployments.list': () => ({ items: [], nextCursor: null }),
    ...more,
  };
  const shown = showScreen(<NewDeploymentScreen />, answers, { pattern: '/new-deployment', path });
  // A form outside of the document is not sent.
  document.body.append(shown.page);
  return shown;
}

test('what looks wrong is said with file and line, and of a key nothing that makes it work', async () => {
  setWaiting(
    harbourOf({
      'index.html': '<a href="About.html">About</a>\n<img src="gone.png" alt="">\n<img src="img/boat.jpg" alt="">',
      'about.html': '<h1>About</h1>',
      'img/boat.jpg': 'jpg',
      'config.js': `\nconst key = 'AKIA${'ABCDEFGH'.repeat(2)}';\n`,
      _redirects: '/old /new 301\n/api/* https://example.com/:splat 200\n',
    }),
  );
  using shown = show();
  await shown.sees('config.js, line 2: AKIA•••••••• looks like an access key of Amazon Web Services');
  const summary = shown.page.querySelector('[aria-label="Folder harbour"]')?.textContent;
  for (const text of [
    'index.html, line 1: About.html is called about.html',
    'index.html, line 2: gone.png is not there',
    '1 line of _redirects is not followed.',
  ])
    expect(summary).toContain(text);
  expect(summary).not.toContain('AKIAABC');
  expect(summary, 'of a small site').not.toContain('Largest files');
});

test('a name that a deployment has leads there first, and second to another with a free name', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  const create = vi.fn((..._call: unknown[]) => new Promise(() => {}));
  // At harbour-2 is the site of another account.
  const second = deploymentOf({ id: 'second', name: 'Harbour-3', slug: 'quay' });
  // The first page of what is alike may hold none of the numbered names.
  const list = (input: unknown) => ({ items: [/-"/.test(JSON.stringify(input)) ? second : deploymentOf()] });
  const checkAddress = vi.fn((input: unknown) =>
    /-4"/.test(JSON.stringify(input))
      ? { wanted: 'harbour-4', slug: 'harbour-4' }
      : { wanted: 'harbour', slug: 'harbour-3' },
  );
  using shown = show({
    'deployments.list': list,
    'deployments.create': create,
    'deployments.checkAddress': checkAddress,
  });
  await shown.sees('Publish as new release of harbour…');
  const files = () => shown.page.querySelector('[data-chosen]')?.textContent;
  await patiently(() => expect(files()).toContain('You already have a deployment with this name.'));
  expect(files(), 'above the choice, which is below the files on a phone').not.toContain('Ready to publish.');
  const [there, another] = shown.page.querySelectorAll('form [data-variant]:not([data-size])');
  expect([there?.textContent, there?.getAttribute('data-variant'), there?.getAttribute('href')]).toEqual([
    'Publish as new release of harbour…',
    'primary',
    '/deployments/harbour',
  ]);
  expect(there?.closest('form')?.textContent).toContain('You already have a deployment with this name.');
  expect(there?.parentElement?.className, 'two buttons stay below what they are about').not.toContain('sticky');
  expect(shown.page.textContent, 'one of their own has it').not.toContain('is taken');
  shown.button('Choose how to publish').click();
  expect(document.activeElement, 'from the files to the choice, which may be two screens below').toBe(there);
  await submit(shown.page.querySelector('form'));
  expect(create, 'Enter in the field of the name').not.toHaveBeenCalled();
  await patiently(() => expect(another?.textContent).toBe('Publish as new deployment harbour-4'));
  await patiently(() => expect(shown.button('Publish as new deployment harbour-4').disabled).toBe(false));
  await patiently(() => expect(another?.nextElementSibling?.textContent).toMatch(/^Will be live at harbour-4\./));
  expect(JSON.stringify(checkAddress.mock.calls), 'before it was known to be taken').not.toContain('harbour-2');
  shown.button('Publish as new deployment harbour-4').click();
  await patiently(() => expect(create.mock.lastCall).toMatchObject([{ name: 'harbour-4' }, undefined]));
});

test('a name that ends in a number of its own is numbered on by itself, and not by the number of its address', async () => {
  setWaiting({ ...harbourOf({ 'index.html': '<h1>Harbour</h1>' }), name: 'Site 2' });
  using shown = show({
    'deployments.list': (input) => ({
      items: /-"/.test(JSON.stringify(input)) ? [] : [deploymentOf({ name: 'Site 2' })],
    }),
    'deployments.checkAddress': () => ({ wanted: 'site-2', slug: 'site-3' }),
  });
  await shown.sees('Publish as new deployment Site 2-2');
});

test('a question about names or addresses that fails keeps nobody from a new deployment', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  const refuse = () => {
    throw new Error('refused');
  };
  using shown = show({
    'deployments.list': (input) => (/-"/.test(JSON.stringify(input)) ? refuse() : { items: [deploymentOf()] }),
    'deployments.checkAddress': refuse,
  });
  await shown.sees('Publish as new deployment harbour-2');
  await patiently(() => expect(shown.button('Publish as new deployment harbour-2').disabled).toBe(false));
});

test('what was made and never sent is no namesake while its key is kept: Publish goes on with it', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  const empty = deploymentOf({ state: 'draft', currentRelease: null, latestRelease: null, releaseCount: 0 });
  const list: Answers = { 'deployments.list': () => ({ items: [empty] }) };
  {
    using forgotten = show(list);
    await forgotten.sees('Publish as new release of harbour…');
  }
  const wish = JSON.stringify({ name: 'harbour', platform: 'built-in' });
  sessionStorage.setItem('fairlead.draft.new-deployment-request', JSON.stringify({ wish, key: 'kept' }));
  using shown = show(list);
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  expect(shown.page.textContent).not.toContain('Publish as new release of harbour…');
});

test('a typed name stays with the folder for which it was typed', async () => {
  const files = { 'index.html': '<h1>Harbour</h1>' };
  setWaiting(harbourOf(files));
  using shown = show();
  const name = () => shown.page.querySelector<HTMLInputElement>('input[name=name]');
  await patiently(() => expect(name()?.value).toBe('harbour'));
  typeInto(shown.page, 'name', 'Port of Lisbon');
  setWaiting(harbourOf({ ...files, 'more.html': '<h1>More</h1>' }));
  await shown.sees('2 files');
  expect(name()?.value, 'the same folder, read again').toBe('Port of Lisbon');
  setWaiting({ ...harbourOf(files), name: 'bakery' });
  await patiently(() => expect(name()?.value).toBe('bakery'));
  setWaiting(harbourOf(files));
  await patiently(() => expect(name()?.value).toBe('Port of Lisbon'));
});

test('what was said of an empty name is gone with the name of another folder', async () => {
  const files = { 'index.html': '<h1>Harbour</h1>' };
  setWaiting(harbourOf(files));
  using shown = show();
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  await patiently(() => expect(shown.page.querySelector<HTMLInputElement>('input[name=name]')?.value).toBe('harbour'));
  typeInto(shown.page, 'name', '');
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await shown.sees('Give the deployment a name');
  shown.page.querySelector<HTMLInputElement>('input[name=name]')?.blur();
  setWaiting({ ...harbourOf(files), name: 'bakery' });
  await patiently(() => expect(shown.page.textContent).not.toContain('Give the deployment a name'));
});

test('a folder that arrives while its name is typed takes nothing away, and mixes with nothing', async () => {
  using shown = show();
  const files = { 'index.html': '<h1>Harbour</h1>' };
  const field = shown.page.querySelector<HTMLInputElement>('input[name=name]') ?? expect.fail();
  const arrives = (name: string) => flushSync(() => setWaiting({ ...harbourOf(files), name }));
  field.focus();
  arrives('harbour');
  await patiently(() => expect(field.value).toBe('harbour'));
  expect([field.selectionStart, field.selectionEnd], 'the next key replaces it').toEqual([0, 7]);
  typeInto(shown.page, 'name', 'Po');
  arrives('bakery');
  await shown.sees('bakery');
  expect(field.value).toBe('Po');
  typeInto(shown.page, 'name', 'Port');
  field.blur();
  arrives('bakery');
  await shown.sees('bakery');
  expect(field.value).toBe('Port');
  arrives('harbour');
  await patiently(() => expect(field.value).toBe('harbour'));
  field.focus();
  arrives('cafe');
  await patiently(() => expect(field.value, 'and no name of another folder').toBe('cafe'));
  typeInto(shown.page, 'name', '');
  arrives('harbour');
  await patiently(() => expect(field.value, 'where nothing is being typed').toBe('harbour'));
});

test('a site of that name on another platform can have the chosen one added', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  const listed = () => ({ items: [deploymentOf()], nextCursor: null });
  using shown = show({ 'deployments.list': listed }, '/new-deployment?platform=netlify');
  await shown.sees('Or add Netlify to that deployment');
  expect(shown.linkTo('Or add Netlify to that deployment')).toBe('/deployments/harbour?tab=settings#platforms');
});

test('where the plan has no room for another deployment none is promised an address', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  const full = allowanceOf({ plan: 'BASIC', deploymentLimit: 1, deploymentCount: 1, remaining: 0 });
  const answers: Answers = { 'subscription.allowance': () => full, 'deployments.list': () => ({ items: [] }) };
  using shown = show(answers);
  await shown.sees('Basic allows 1 deployment');
  expect(shown.page.textContent).not.toMatch(/live at/i);
  expect(shown.linkTo('See your deployments')).toBe('/deployments');
  expect(shown.page.textContent?.match(/delete 1 deployment/g)).toHaveLength(1);
  setWaiting(null);
  await shown.sees('Choose a folder');
  expect(shown.button('Choose a folder').getAttribute('data-variant')).toBe('secondary');
});

test('a platform that the address asks for says at the top that it needs an account', async () => {
  const none: Answers = { 'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }) };
  using shown = show(none, '/new-deployment?platform=netlify');
  await shown.sees('To publish to Netlify, first connect your Netlify account.');
  expect(shown.linkTo('connect your Netlify account')).toBe('/settings?connect=netlify');
  using plain = show(none);
  expect(plain.page.querySelector('header')?.textContent).toContain('In a hurry?');
});

test.each([
  [
    'without an entry page',
    { 'start.html': '<h1>Start</h1>', 'notes.txt': 'notes' },
    ['Publish without a start page?', 'There is no index.html'],
  ],
  [
    'with an empty entry page',
    { 'index.html': '', 'a.css': 'a' },
    ['Publish an empty start page?', 'index.html is empty. People will see a white page.'],
  ],
  [
    'that needs a build',
    { 'index.html': '<script src="/src/main.tsx">', 'src/main.tsx': 'x', 'package.json': '{}' },
    [
      'Publish without a build?',
      'A browser cannot show these files as they are. Run the build (often “npm run build”)',
    ],
  ],
])('a folder %s is published after one question, and not before', async (_what, files, [title = '', text = '']) => {
  setWaiting(harbourOf(files));
  const create = vi.fn();
  using shown = show({ 'deployments.create': create });
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  const question = () => document.querySelector('[role=alertdialog]');
  const answer = (name: string) =>
    [...(question()?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === name)?.click();
  shown.button('Publish').click();
  await patiently(() => expect(question()?.textContent).toContain(title));
  expect(question()?.textContent).toContain(text);
  answer('Cancel');
  await patiently(() => expect(question()).toBeNull());
  expect(create).not.toHaveBeenCalled();

  // A button that was just sent is free again a moment later.
  await patiently(() => {
    shown.button('Publish').click();
    expect(question()).not.toBeNull();
  });
  answer('Publish anyway');
  await patiently(() => expect(create).toHaveBeenCalledOnce());
});

test('the question about a missing start page offers the page that seems to be it', async () => {
  setWaiting(harbourOf({ 'menu.html': '<h1>Menu</h1>' }));
  using shown = show();
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  const offer = () =>
    [...document.querySelectorAll<HTMLButtonElement>('[role=alertdialog] button')].find(
      ({ textContent }) => textContent === 'Use menu.html as the start page',
    );
  await patiently(() => expect(offer()).toBeDefined());
  offer()?.click();
  await shown.sees('Ready to publish.');
  expect(document.querySelector('[role=alertdialog]')).toBeNull();
});

test('a ZIP that cannot be read takes nothing away, and says so', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  using shown = show();
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  const zip = shown.page.querySelector('input[accept]');
  Object.defineProperty(zip, 'files', { value: [new File(['no ZIP'], 'broken.zip')] });
  zip?.dispatchEvent(new Event('change', { bubbles: true }));
  await shown.sees('Your earlier folder is still chosen.');
  expect(shown.button('Publish').disabled).toBe(false);
});

test('where the browser has no room for the files, a reload asks for the folder again, and knows the same', async () => {
  const harbour = harbourOf({ 'index.html': '<h1>Harbour</h1>' });
  const kept = { id: 'lost', savedAt: Date.now(), accountId: null, noun: 'folder', within: '' } as const;
  const record = { ...kept, name: 'harbour', ...extentOf(publishedPart(harbour, [])), hasFiles: false };
  askToReselect({ ...record, publication: null });
  using shown = show();
  await shown.sees('Choose harbour again');
  await shown.sees('The page was reloaded, and the folder could not be kept. It held 1 file, 16 B.');
  setWaiting(harbour);
  await shown.sees('The same as before the reload');
  expect(shown.page.textContent).not.toContain('Choose harbour again');
});

test('an address is promised only once it is known to be free', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  let answer = (_check: unknown): void => undefined;
  const asked = new Promise((resolve) => {
    answer = resolve;
  });
  using shown = show({ 'deployments.checkAddress': () => asked });
  await shown.sees('live at harbour.localhost');
  expect(shown.page.textContent).toContain('If free, live at harbour.localhost');
  expect(shown.page.textContent).not.toContain('ill be live');
  answer({ wanted: 'harbour', slug: 'harbour' });
  await shown.sees('Will be live at harbour.localhost');
  // Once at the name, and once above the button, which a phone shows long before it.
  expect(shown.page.textContent?.match(/Will be live at/g)).toHaveLength(2);
});

test('an address that is taken is told while the name is typed, with the one that it will be', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  using shown = show({ 'deployments.checkAddress': () => ({ wanted: 'harbour', slug: 'harbour-7' }) });
  await shown.sees('is taken.');
  expect(shown.page.textContent).toMatch(/harbour\S* is taken\.It will be live at harbour-7/);
  expect(shown.page.textContent?.match(/is taken\./g)).toHaveLength(2);
});

test('the name and the key of a new deployment are forgotten once its files are on their way, and not before', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  sessionStorage.setItem('fairlead.draft.new-deployment', JSON.stringify({ name: 'Harbour' }));
  using shown = show({ 'deployments.create': () => deploymentOf({ id: 'new-harbour' }) });
  const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('fairlead.draft.'));
  const atStart: string[][] = [];
  const stop = sendings.subscribe(() => atStart.push(drafts()));
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await patiently(() => expect(drafts()).toEqual([]));
  await patiently(() => expect(atStart).not.toEqual([]));
  stop();
  expect(atStart[0]).toEqual(['fairlead.draft.new-deployment', 'fairlead.draft.new-deployment-request']);
});

test('the page that sends the first release names the platform that was chosen from its first moment', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  sessionStorage.setItem('fairlead.draft.new-deployment', JSON.stringify({ name: 'Harbour' }));
  using shown = show({
    'deployments.create': () => deploymentOf({ id: 'at-netlify', platform: 'netlify' }),
    'deployments.get': () => new Promise(() => undefined),
  });
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Publish').click();
  await shown.sees('PlatformNetlify');
});

test('a deployment that was made, never sent and deleted is made anew at the second press', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  sessionStorage.setItem('fairlead.draft.new-deployment', JSON.stringify({ name: 'Harbour' }));
  const keys: unknown[] = [];
  using shown = show({
    'deployments.create': (input) => {
      keys.push(Object.entries(input ?? {}).find(([field]) => field === 'idempotencyKey')?.[1]);
      return refusal('conflict', 'Deleted since.', { fieldErrors: { idempotencyKey: 'Deleted since.' } });
    },
  });
  await patiently(() => {
    shown.button('Publish').click();
    expect(keys.length).toBeGreaterThan(1);
  });
  expect(keys[0]).not.toBe(keys[1]);
});

const NO_ROOM = {
  message: 'An account without a confirmed email address can store 105 MB. It uses 0 B, and this would add 110 MB.',
  hint: 'Confirm your email address to publish more.',
  isCertain: true,
  asksToConfirm: true,
};

test('what the account has no room for is said before Publish, with the way to more, and is not sent', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  using shown = show({ 'releases.room': () => ({ refusal: NO_ROOM }) });
  await shown.sees('Confirm your email address to publish this folder');
  expect(shown.page.textContent).toContain(`${NO_ROOM.message} ${NO_ROOM.hint}`);
  expect(shown.button('Publish').disabled).toBe(true);
  expect(shown.page.textContent).toContain('Confirm your email address first.');
});

test('a folder that may be stored already is compared by Publish, and only told that it may not fit', async () => {
  setWaiting(harbourOf({ 'index.html': '<h1>Harbour</h1>' }));
  using ready = show();
  await ready.sees('Ready to publish.');
  using shown = show({ 'releases.room': () => ({ refusal: { ...NO_ROOM, isCertain: false } }) });
  await shown.sees('This folder may not fit');
  expect(shown.page.textContent).not.toContain('Ready to publish.');
  await patiently(() => expect(shown.button('Publish').disabled).toBe(false));
});
