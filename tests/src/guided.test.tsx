import { afterEach, expect, test, vi } from 'vitest';
import { GuidedDeploymentScreen } from '../../src/screens/guided-deployment.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { type Answers, type ShownScreen, showScreen, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

const allowance = allowanceOf({ plan: 'STANDARD', deploymentLimit: 3, deploymentCount: 0, remaining: 3 });
const answers: Answers = {
  'subscription.allowance': () => allowance,
  'deployments.checkAddress': () => ({ wanted: 'harbour', slug: 'harbour' }),
  'deployments.list': () => ({ items: [], nextCursor: null }),
  'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
  'domains.checkName': (input) => checked(nameIn(input)),
};

/** Checks a name as the server would: one name is taken already. */
function checked(name: string) {
  const problem = name === 'taken.example' ? 'You have already added taken.example for Pier.' : null;
  return { name, counterpart: `www.${name}`, problem };
}

function nameIn(input: unknown): string {
  return typeof input === 'object' && input !== null && 'name' in input ? String(input.name) : '';
}

afterEach(() => {
  setWaiting(null);
  sessionStorage.clear();
  document.body.replaceChildren();
});

/** The screen at one of its questions, in the document, so that it can have the focus. */
function showGuide(query = '', more: Answers = {}): ShownScreen {
  const place = { pattern: '/guided-deployment', path: `/guided-deployment${query}` };
  const shown = showScreen(<GuidedDeploymentScreen />, { ...answers, ...more }, place);
  document.body.append(shown.page);
  return shown;
}

function dropHarbour(): void {
  const files = [
    { path: 'index.html', file: new File(['<h1>Harbour</h1>'], 'index.html') },
    { path: 'node_modules/vue/index.js', file: new File(['x'], 'index.js') },
    { path: '.env', file: new File(['KEY=1'], '.env') },
  ];
  setWaiting({ name: 'harbour', files });
}

const draft = (name: string) => JSON.stringify({ name });
const question = ({ page }: ShownScreen) => page.querySelector('h2')?.textContent;
const asks = (shown: ShownScreen, text: string) => vi.waitFor(() => expect(question(shown)).toBe(text));

test('where the name is taken, the files lead to the step where that is decided', async () => {
  dropHarbour();
  using shown = showGuide('', { 'deployments.list': () => ({ items: [deploymentOf({})], nextCursor: null }) });
  await shown.sees('Choose how to publish');
  shown.button('Choose how to publish').click();
  await asks(shown, 'Is everything right?');
});

test('without files there is one question only, whatever the address asks for', async () => {
  using shown = showGuide('?step=check');
  await asks(shown, 'What do you want to publish?');
  expect(shown.button('Next').disabled).toBe(true);
  expect(shown.page.textContent).toContain('Choose a folder or a ZIP first.');
  expect(shown.page.textContent).not.toContain('Publish harbour');
});

test('each answer leads to the next question, which gets the focus, and back again', async () => {
  dropHarbour();
  using shown = showGuide();
  await vi.waitFor(() => expect(shown.button('Next').disabled).toBe(false));
  shown.button('Next').click();
  await asks(shown, 'Where should it live?');
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Where should it live?'));
  await shown.sees('Easiest to try');
  shown.button('4 more platforms').click();
  await shown.sees('Static sites from a Git repository.');
  shown.button('Back').click();
  await asks(shown, 'What do you want to publish?');
});

test('a name that the rules refuse is told at its field, and is asked for again', async () => {
  dropHarbour();
  sessionStorage.setItem('fairlead.draft.new-deployment', draft(' '));
  using shown = showGuide('?step=name');
  await asks(shown, 'What should it be called?');
  await vi.waitFor(() => expect(shown.page.querySelector('input[name=name]')).not.toBe(null));
  shown.button('Next').click();
  await vi.waitFor(() => expect(shown.page.querySelector('input[name=name][aria-invalid=true]')).not.toBe(null));
  expect(question(shown)).toBe('What should it be called?');
});

test('a name that grows too long is told while it is typed, with the limit', async () => {
  dropHarbour();
  sessionStorage.setItem('fairlead.draft.new-deployment', draft('x'.repeat(81)));
  using shown = showGuide('?step=name');
  await shown.sees('The name is longer than 80 characters');
  expect(shown.page.querySelector('input[name=name]')?.getAttribute('aria-invalid')).toBe('true');
  expect(shown.page.textContent).not.toContain('live at');
});

test('before anything happens every answer is there once more, with a way back to its question', async () => {
  dropHarbour();
  sessionStorage.setItem('fairlead.draft.new-deployment', draft('Harbour master'));
  using shown = showGuide('?step=check');
  await shown.sees('harbour: 1 file, 16 B');
  const summary = shown.page.querySelector('[aria-label="Your answers"]')?.textContent;
  expect(summary).toContain('1 private file left out');
  expect(summary).toContain('node_modules left out');
  expect(summary).toContain('Built-in host');
  expect(summary).toContain('Harbour master');
  await shown.sees('1 of 3 deployments on Standard will be used.');
  await vi.waitFor(() => expect(shown.button('Publish').disabled).toBe(false));
  shown.button('Change: Hosting').click();
  await asks(shown, 'Where should it live?');
});

test('at the end a name in use says why there are two buttons, and the address is beside its own', async () => {
  dropHarbour();
  using shown = showGuide('?step=check', { 'deployments.list': () => ({ items: [deploymentOf()], nextCursor: null }) });
  await shown.sees('Publish as new deployment harbour-2');
  await vi.waitFor(() =>
    expect(shown.page.querySelector('[aria-label="Your answers"]')?.textContent).not.toContain('live at'),
  );
  const form = shown.page.querySelector('form')?.textContent;
  expect(form).toContain('You already have a deployment with this name.');
  expect(form).toMatch(/new deployment harbour-2.*live at/);
});

test.each([
  ['{slug}.localhost:3001', 'live at harbour.localhost:3001 (only this computer can open it)', 'Easiest to try'],
  ['{slug}.sites.example', 'live at harbour.sites.example', 'Recommended'],
])('the name and the summary say of an address of %s whether others can open it', async (pattern, text, praise) => {
  const meta = document.createElement('meta');
  meta.name = 'fairlead-sites-host';
  meta.content = pattern;
  document.body.append(meta);
  dropHarbour();
  sessionStorage.setItem('fairlead.draft.new-deployment', draft('harbour'));
  for (const step of ['name', 'check']) {
    using shown = showGuide(`?step=${step}`);
    await shown.sees(text);
    if (step === 'check') await shown.sees(`Built-in host${praise}`);
    expect(shown.page.textContent?.includes('computer'), step).toBe(text.includes('computer'));
  }
});

test('where the plan has no room the summary promises no address', async () => {
  dropHarbour();
  sessionStorage.setItem('fairlead.draft.new-deployment', draft('harbour'));
  const full = () => allowanceOf({ plan: 'BASIC', deploymentLimit: 1, deploymentCount: 1, remaining: 0 });
  using shown = showGuide('?step=check', { 'subscription.allowance': full });
  await shown.sees('Basic allows 1 deployment.');
  await shown.sees('Built-in host');
  expect(shown.page.textContent).not.toContain('Will be live at');
});

test('an account that is missing at the end is connected there', async () => {
  dropHarbour();
  using shown = showGuide('?step=check&platform=netlify');
  await shown.sees('Connect your Netlify account first.');
  await shown.sees('To publish there, connect your Netlify account first.');
  shown.button('Connect Netlify').click();
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain('Netlify'));
});

const DOMAIN_QUESTION = 'Do you have a domain of your own?';

test('not to have a domain yet is an answer', async () => {
  dropHarbour();
  using shown = showGuide('?step=domain');
  await asks(shown, DOMAIN_QUESTION);
  await shown.sees('No domain yet');
  shown.button('Next').click();
  await asks(shown, 'Is everything right?');
  expect(shown.page.querySelector('[aria-label="Your answers"]')?.textContent).toContain('DomainNone yet');
});

test('a domain that is missing, is none, or cannot be added is told at its field, and is asked for again', async () => {
  dropHarbour();
  using shown = showGuide('?step=domain');
  await asks(shown, DOMAIN_QUESTION);
  shown.page.querySelector<HTMLInputElement>('input[value=own]')?.click();
  await shown.sees('Adding example.com also adds www.example.com');
  shown.button('Next').click();
  await shown.sees('Type your domain, or choose “No domain yet”.');
  for (const [text, problem] of [
    ['not a domain', 'Type a domain name like example.com'],
    ['https://Taken.example/menu', 'You have already added taken.example for Pier.'],
  ] as const) {
    typeInto(shown.page, 'domain', text);
    shown.button('Next').click();
    await shown.sees(problem);
    expect(question(shown)).toBe(DOMAIN_QUESTION);
  }
  typeInto(shown.page, 'domain', 'https://Shop.example/menu');
  shown.button('Next').click();
  await asks(shown, 'Is everything right?');
  expect(shown.page.querySelector('[aria-label="Your answers"]')?.textContent).toContain('Domainshop.example');
});

test('once something is being published it is no longer said that nothing is', async () => {
  using asking = showGuide();
  await asking.sees('Nothing is published until the end.');
  using publishing = showGuide('?deployment=harbour0000000000000');
  expect(publishing.page.textContent).toContain('Guided Deployment');
  expect(publishing.page.textContent).not.toContain('until the end');
});
