import { expect, onTestFinished, test, vi } from 'vitest';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { typeInto } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';
import { arrivesAt, follow, press, showApp, shown, textsOf, typeTo } from '../support/shown-app.tsx';

/** The platforms and the addresses of their setup pages, in the order of the home cards. */
const PLATFORMS = [
  ['Netlify', '/deploy/netlify'],
  ['Vercel', '/deploy/vercel'],
  ['GitHub Pages', '/deploy/github-pages'],
  ['Render', '/deploy/render'],
  ['Heroku', '/deploy/heroku'],
  ['Replit', '/deploy/replit'],
] as const;

/** The items of the section under this heading. */
function itemsUnder(heading: string, selector = 'li'): string[] {
  const section = [...document.querySelectorAll('main section')].find(
    (one) => one.querySelector('h2, h3')?.textContent === heading,
  );
  return [...(section?.querySelectorAll(selector) ?? [])].map((item) => item.textContent ?? '');
}

test('home offers the six platforms, each with three points and a way on', async () => {
  await using _app = showApp('/', { user: ada });
  await shown('h2', 'Choose your preferred hosting platform below');
  const cards = [...document.querySelectorAll('main h3')].map((title) => ({
    title: title.textContent,
    description: title.parentElement?.querySelector('p')?.textContent,
    points: title.parentElement?.querySelectorAll('li').length,
    way: [title.parentElement?.querySelector('a')?.textContent, title.parentElement?.querySelector('a')?.pathname],
  }));
  expect(cards).toEqual(
    PLATFORMS.map(([name, path]) => ({
      title: `Deploy to ${name}`,
      description: expect.stringMatching(/\w/),
      points: 3,
      way: [`Select ${name}`, path],
    })),
  );
  await press('main a', 'Select Replit');
  await arrivesAt('/deploy/replit');
});

test('home does not promise the web where only this computer can open a site', async () => {
  await using app = showApp('/', { user: ada });
  await shown(
    'main p',
    'No preference? What you choose above goes to the built-in host (only this computer can open it).',
  );
  expect(app.page.textContent).not.toContain('on the web');
});

test('home names what was dropped before there was an account, and leads on with it', async () => {
  onTestFinished(() => setWaiting(null));
  setWaiting({ name: 'harbour-cafe', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] });
  await using _app = showApp('/', { user: ada });
  await shown('main p', 'harbour-cafe');
  await press('main a', 'Go on');
  await arrivesAt('/new-deployment');
});

test('about says what it is for, and takes a message', async () => {
  const supportEmail = 'crew@example.com';
  await using app = showApp('/about', {
    answers: { 'contact.get': () => ({ supportEmail }), 'contact.send': () => ({ done: true }) },
  });
  await shown('h3', 'Quick Contact Form');
  const sections = ['Our Mission', 'Key Features', 'Technology Stack', 'Supported Platforms', 'Contact Us'];
  expect(textsOf('main h2')).toEqual(sections);
  expect(itemsUnder('Key Features', 'h3')).toEqual([
    'Website Deployment',
    'DNS Automation',
    'SSL Certificate Management',
    'AI-Powered Hosting Suggestions',
    'Diagnostics Tools',
    'User Authentication',
  ]);
  expect(itemsUnder('Technology Stack')).toEqual(['React', 'Node.js', 'Express', 'TypeScript', 'Electron', 'Vite']);
  expect(itemsUnder('Supported Platforms')).toEqual(PLATFORMS.map(([name]) => name));
  expect(itemsUnder('Supported Platforms', 'p')).toEqual([expect.stringContaining('built-in host')]);
  expect(itemsUnder('Contact Us', 'p')[0]).toContain("We'll get back to you within 24 hours.");
  expect(document.querySelector('main a[href="/faq"]')).not.toBeNull();
  await shown(`main a[href="mailto:${supportEmail}"]`, supportEmail);

  await shown('button', 'Send Message');
  typeInto(document, 'name', 'Grace');
  typeInto(document, 'email', 'grace@example.com');
  const message = document.querySelector('textarea') ?? expect.fail('There is no field for the message.');
  typeTo(message, 'Which way is the harbour?');
  await press('button', 'Send Message');
  await shown('main [role="status"] p', 'We have your message.');
  expect(app.calls).toContain('contact.send');

  await press('main a', 'Back to Home');
  await arrivesAt('/');
});

test('where no support address is set, about says so', async () => {
  await using _app = showApp('/about', { answers: { 'contact.get': () => ({ supportEmail: 'support@localhost' }) } });
  await shown(
    'main p',
    'This Fairlead has no support address yet: support@localhost is only a placeholder. Messages from the form are kept for whoever runs it.',
  );
  expect(document.querySelector('main')?.textContent).toContain('Use the form below, or see the');
  expect(document.querySelector('main a[href^="mailto:"]')).toBe(null);
});

test.each(['terms', 'privacy', 'refunds'])(
  'where no support address is set, %s leads to the form, and else to the address',
  async (page) => {
    const contact = { supportEmail: 'support@localhost' };
    const answers = { 'contact.get': () => contact };
    {
      await using _app = showApp(`/subscription/${page}`, { answers });
      await shown('main a[href="/about#contact-form"]', 'Contact form');
      expect(document.querySelector('main a[href^="mailto:"]')).toBe(null);
    }
    contact.supportEmail = 'crew@example.com';
    await using _app = showApp(`/subscription/${page}`, { answers });
    await shown('main a[href="mailto:crew@example.com"]', 'crew@example.com');
  },
);

test('the disclaimer has eight sections, and a button that says what it does', async () => {
  let letGo: (answer: object) => void = () => {};
  const held = new Promise((resolve) => {
    letGo = resolve;
  });
  await using _app = showApp('/disclaimer', { hasSeenDisclaimer: false, answers: { 'disclaimer.accept': () => held } });
  await shown('h1', 'Beta Program Disclaimer');
  expect(textsOf('main h2').map((heading) => heading.replace(/^\d+/, ''))).toEqual([
    'Beta Status',
    'Limited Warranty',
    'Feature Changes',
    'Beta Pricing',
    'Feedback',
    'Data Security',
    'Support',
    'Updates',
  ]);
  await press('button', 'Accept & Continue');
  const button = await vi.waitFor(() => {
    const found = [...document.querySelectorAll('main button')].find((one) => one.textContent?.includes('Processing'));
    return found ?? expect.fail('Nothing is processing.');
  });
  expect(button.getAttribute('aria-disabled') ?? button.hasAttribute('disabled')).toBeTruthy();
  letGo({ done: true });
  await arrivesAt('/beta-welcome');
});

test.each(['/faq', '/help'])('%s answers questions and finds them', async (path) => {
  await using _app = showApp(path);
  await shown('h1', path === '/faq' ? 'Frequently Asked Questions' : 'Help & Documentation');
  const entries = () => textsOf('main details');
  const all = entries();
  expect(all.length).toBeGreaterThan(8);
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]') ?? expect.fail('No search.');
  typeTo(search, 'address');
  await vi.waitFor(() => expect(entries().length).toBeLessThan(all.length));
  for (const entry of entries()) expect(entry).toMatch(/address/i);
  typeTo(search, 'zzz nothing of the kind zzz');
  await vi.waitFor(() => expect(entries()).toEqual([]));
  await press('button', 'Show all');
  expect(entries()).toEqual(all);
});

test('a device that only has touch is asked to choose, and not to drop', async () => {
  const query = window.matchMedia.bind(window);
  vi.spyOn(window, 'matchMedia').mockImplementation((wanted) => query(wanted.includes('hover: none') ? 'all' : wanted));
  await using _app = showApp('/help');
  await shown('h1', 'Help & Documentation');
  expect(textsOf('main details p').join()).toContain('choose a folder or a ZIP, and it is live under its own name.');
  expect(textsOf('main details p').join()).not.toMatch(/\bdrop\b/i);
});

test('an address may name the article to open', async () => {
  await using _app = showApp('/help#roll-back');
  await shown('h1', 'Help & Documentation');
  await vi.waitFor(() =>
    expect(textsOf('main details[open] p').join()).toContain(
      'You upload nothing again: on the built-in host it takes about a second',
    ),
  );
});

/** The price of each plan and the number of deployments it allows. */
const PLANS = [
  ['Basic', /\$5(?!\d)/, /Deployments\s*1(?!\d)/],
  ['Standard', /\$12(?!\d)/, /Deployments\s*3(?!\d)/],
  ['Pro', /\$29(?!\d)/, /Deployments\s*Unlimited/],
  ['Beta', /\$10(?!\d)/, /Deployments\s*Unlimited/],
] as const;

test.each(['/pricing', '/subscription/pricing'])('%s shows the plans and the beta offer', async (path) => {
  await using _app = showApp(path);
  for (const [plan, price, cap] of PLANS) {
    const card = (await shown('main h3', plan)).closest('li')?.textContent;
    expect(card, plan).toMatch(price);
    expect(card, plan).toMatch(cap);
  }
  const words = textsOf('main').join();
  for (const offer of [/over 90% off/i, /6 months/, /14.day/]) expect(words).toMatch(offer);
});

test('every page has a description of its own', async () => {
  const meta = document.createElement('meta');
  meta.name = 'description';
  document.head.append(meta);
  await using _app = showApp('/disclaimer');
  const described = new Set<string>();
  const paths = ['/about', '/', '/pricing', '/faq', '/help', '/login', '/websocket-demo'];
  for (const path of paths) {
    const before = meta.content;
    follow(path);
    await vi.waitFor(() => expect(meta.content, path).not.toBe(before));
    expect(meta.content.length, path).toBeGreaterThan(20);
    described.add(meta.content);
  }
  expect(described.size).toBe(paths.length);
  meta.remove();
});

test('an address that is not there says so', async () => {
  await using _app = showApp('/no-such-page');
  await shown('h1', '404 Page Not Found');
  expect(textsOf('main').join()).toContain('Did you forget to add the page to the router?');
});
