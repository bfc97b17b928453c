import type { Locator, Page } from '@playwright/test';
import { expect, logInHere, test } from '../browser/fixtures.ts';
import { enrol, seenBefore } from './accounts.ts';
import { holdCalls } from './held-network.ts';
import { follow } from './navigation.ts';

/** The platforms and the addresses of their setup pages, in the order of the home cards. */
const PLATFORMS: readonly (readonly [name: string, path: string])[] = [
  ['Netlify', '/deploy/netlify'],
  ['Vercel', '/deploy/vercel'],
  ['GitHub Pages', '/deploy/github-pages'],
  ['Render', '/deploy/render'],
  ['Heroku', '/deploy/heroku'],
  ['Replit', '/deploy/replit'],
];

const TEXTS = {
  mission: ['Our Mission', 'Key Features', 'Technology Stack', 'Supported Platforms', 'Contact Us'],
  features: [
    'Website Deployment',
    'DNS Automation',
    'SSL Certificate Management',
    'AI-Powered Hosting Suggestions',
    'Diagnostics Tools',
    'User Authentication',
  ],
  stack: ['React', 'Node.js', 'Express', 'TypeScript', 'Electron', 'Vite'],
  disclaimer: [
    'Beta Status',
    'Limited Warranty',
    'Feature Changes',
    'Beta Pricing',
    'Feedback',
    'Data Security',
    'Support',
    'Updates',
  ],
} as const;

/** Returns the text of every heading below the first level, in order. */
async function headingsOf(area: Locator): Promise<string[]> {
  return area.locator('h2, h3, h4').allInnerTexts();
}

test('home offers the six platforms, each with three points and a way on', async ({ page, context, app }) => {
  await enrol(context.request);
  await seenBefore(context, app.url);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('Choose your preferred hosting platform below')).toBeVisible();
  const titles = page.getByRole('heading', { name: /^Deploy to / });
  await expect(titles).toHaveText(PLATFORMS.map(([name]) => `Deploy to ${name}`));
  for (const [name, path] of PLATFORMS) {
    const card = page
      .getByRole('listitem')
      .or(page.getByRole('article'))
      .filter({ has: page.getByRole('heading', { name: `Deploy to ${name}` }) })
      .last();
    await expect(card.getByRole('listitem'), name).toHaveCount(3);
    await expect(card.locator('p').first(), name).not.toBeEmpty();
    await expect(card.getByRole('link', { name: `Select ${name}` })).toHaveAttribute('href', path);
  }
  await page.getByRole('link', { name: 'Select Replit' }).click();
  await expect(page).toHaveURL('/deploy/replit');
});

test('about says what it is for, and takes a message', async ({ page, context, app }) => {
  await seenBefore(context, app.url);
  await page.goto('/about');
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { name: 'Our Mission' })).toBeVisible();
  const headings = await headingsOf(main);
  expect(headings.filter((heading) => TEXTS.mission.some((name) => name === heading))).toEqual([...TEXTS.mission]);
  expect(headings.filter((heading) => TEXTS.features.some((name) => name === heading))).toEqual([...TEXTS.features]);
  const section = (name: string): Locator =>
    main
      .locator('section')
      .filter({ has: page.getByRole('heading', { name, exact: true }) })
      .last();
  for (const name of TEXTS.stack) await expect(section('Technology Stack').getByText(name).first()).toBeVisible();
  for (const [name] of PLATFORMS) await expect(section('Supported Platforms').getByText(name).first()).toBeVisible();
  await expect(main.getByText("We'll get back to you within 24 hours.")).toBeVisible();
  await expect(main.locator('a[href^="mailto:"]')).toHaveText(/.+@.+/);
  await expect(main.locator('a[href="/faq"]').first()).toBeVisible();

  await expect(main.getByText('Quick Contact Form')).toBeVisible();
  await main.getByLabel('Name').fill('Grace');
  await main.getByLabel('Email').fill('grace@example.com');
  await main.getByLabel('Message').fill('Which way is the harbour?');
  const sent = page.waitForResponse((response) => response.url().includes('contact'));
  await main.getByRole('button', { name: 'Send Message' }).click();
  expect((await sent).ok()).toBe(true);
  await expect(main.getByRole('status')).toContainText(/message/i);

  const back = main.getByRole('link', { name: 'Back to Home' }).or(main.getByRole('button', { name: 'Back to Home' }));
  await back.click();
  await expect(page).toHaveURL('/');
});

test('the login and register screen has the words of both forms, and says what is pending', async ({ page }) => {
  await page.goto('/login');
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { level: 1, name: 'Fairlead' })).toBeVisible();
  await expect(main.getByText('Manage your domain deployments with ease')).toBeVisible();
  await expect(main.getByRole('tab')).toHaveText(['Login', 'Register']);
  await expect(main.getByLabel('Username')).toBeVisible();
  await expect(main.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password');
  await expect(main.getByRole('button', { name: 'Log In', exact: true })).toBeVisible();
  await expect(main.getByText('Forgot your password?')).toBeVisible();
  await main.getByRole('button', { name: 'Show password' }).click();
  await expect(main.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text');
  await main.getByRole('button', { name: 'Hide password' }).click();
  await expect(main.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password');

  await main.getByRole('tab', { name: 'Register' }).click();
  await expect(main.getByLabel('Email')).toHaveAttribute('type', 'email');
  for (const label of ['Password', 'Confirm Password']) {
    await expect(main.getByLabel(label, { exact: true })).toHaveAttribute('type', 'password');
  }
  await expect(main.getByRole('button', { name: /^Show / })).toHaveCount(2);
  await main.getByLabel('Password', { exact: true }).fill('a');
  for (const rule of [/at least 8 characters/i, /uppercase letter/i, /lowercase letter/i, /number/i]) {
    await expect(main.getByText(rule).first()).toBeVisible();
  }
  await expect(main.getByRole('button', { name: 'Register', exact: true })).toBeVisible();

  await holdCalls(page, /\/api\/.*(login|register)/);
  await page.getByLabel('Username').fill('sailor');
  await page.getByLabel('Email').fill('sailor@example.com');
  await page.getByLabel('Password', { exact: true }).fill('Anchor weigh 1');
  await page.getByLabel('Confirm Password').fill('Anchor weigh 1');
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Registering...' })).toBeVisible();
  await page.goto('/login');
  await logInHere(page, { username: 'sailor', password: 'Anchor weigh 1' });
  await expect(page.getByRole('button', { name: 'Logging in...' })).toBeVisible();
});

test('the disclaimer has eight sections that scroll, and a button that says what it does', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 600 });
  const letGo = await holdCalls(page, /accept-?disclaimer|disclaimer\.accept/i);
  await page.goto('/disclaimer');
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { name: 'Beta Program Disclaimer' })).toBeVisible();
  // A number that stands before a heading is an ornament.
  expect((await headingsOf(main)).map((heading) => heading.replace(/^\d+\s*/, ''))).toEqual([...TEXTS.disclaimer]);
  const last = main.getByRole('heading', { name: 'Updates' });
  await last.scrollIntoViewIfNeeded();
  await expect(last).toBeInViewport();
  await main.getByRole('button', { name: 'Accept & Continue' }).click();
  await expect(main.getByRole('button', { name: 'Processing' })).toBeVisible();
  await expect(main.getByRole('button', { name: 'Processing' })).toBeDisabled();
  letGo();
  await expect(page).toHaveURL('/beta-welcome');
});

test('beta welcome opens its ways on within 50 px of the end, and at once where nothing scrolls', async ({
  page,
  context,
  app,
}) => {
  await seenBefore(context, app.url);
  await page.setViewportSize({ width: 800, height: 400 });
  await page.goto('/beta-welcome');
  const main = page.getByRole('main');
  await expect(main.getByText('Important Note')).toBeVisible();
  const pricing = main.getByRole('button', { name: 'View Pricing Options' });
  const dashboard = main.getByRole('button', { name: 'Go to Dashboard' });
  await expect(pricing).toBeDisabled();
  await expect(dashboard).toBeDisabled();

  // The innermost thing that scrolls, left so many pixels before its end.
  const leave = (px: number): Promise<void> =>
    page.evaluate((rest) => {
      const inner = [...document.querySelectorAll('main, main *')].filter(
        (element) =>
          element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY),
      );
      const scroller = inner.at(-1) ?? document.documentElement;
      scroller.scrollTop = scroller.scrollHeight - scroller.clientHeight - rest;
    }, px);
  await leave(60);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await expect(pricing).toBeDisabled();
  await leave(50);
  await expect(pricing).toBeEnabled();
  await expect(dashboard).toBeEnabled();
  await pricing.click();
  await expect(page).toHaveURL('/subscription/pricing');

  await page.setViewportSize({ width: 1280, height: 4000 });
  await page.goto('/beta-welcome');
  await expect(dashboard).toBeEnabled();
  await dashboard.click();
  await expect(page).toHaveURL('/auth?redirect=%2Fdashboard');
});

/** The price of each plan and the number of deployments it allows, as the pricing screen shows them. */
const PLANS = [
  ['BASIC', /\$5\b/, /Deployments\s*1\b/],
  ['STANDARD', /\$12\b/, /Deployments\s*3\b/],
  ['PRO', /\$29\b/, /Deployments\s*Unlimited/],
  ['BETA', /\$10\b/, /Deployments\s*Unlimited/],
] as const;

async function readAnswers(page: Page): Promise<void> {
  const main = page.getByRole('main');
  await expect(main.getByText('Nothing is uploaded again: on the built-in host it takes about a second')).toBeVisible();
  for (const [path, title] of [
    ['/faq', 'Frequently Asked Questions'],
    ['/help', 'Help & Documentation'],
  ] as const) {
    await follow(page, path);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    const entries = main.locator('details');
    await expect.poll(() => entries.count(), path).toBeGreaterThan(8);
    const all = await entries.count();
    const search = main.getByRole('searchbox');
    await search.fill('address');
    await expect.poll(() => entries.count(), path).toBeLessThan(all);
    await expect(entries.first()).toContainText(/address/i);
    await search.fill('zzz nothing of the kind zzz');
    await expect(entries).toHaveCount(0);
    await main.getByRole('button', { name: 'Show all' }).click();
    await expect(entries).toHaveCount(all);
    await entries.first().locator('summary').click();
    await expect(entries.first().locator('p').first(), path).toBeVisible();
  }
}

async function readPlans(page: Page): Promise<void> {
  for (const path of ['/pricing', '/subscription/pricing']) {
    await follow(page, path);
    const main = page.getByRole('main');
    for (const [plan, price, cap] of PLANS) {
      const card = main
        .locator('section, article, li')
        .filter({ has: page.getByRole('heading', { name: new RegExp(`^${plan}\\b`, 'i') }) })
        .last();
      await expect(card, `${plan} on ${path}`).toContainText(price, { useInnerText: true });
      await expect(card, `${plan} on ${path}`).toContainText(cap, { useInnerText: true });
    }
    await expect(main).toContainText(/over 90% off/i);
    await expect(main).toContainText(/6 months/);
    await expect(main).toContainText(/14.day/);
  }
}

async function readDescriptions(page: Page): Promise<void> {
  const described = new Map<string, string>();
  for (const path of ['/about', '/', '/pricing', '/faq', '/help', '/login', '/websocket-demo']) {
    await follow(page, path);
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect
      .poll(async () => {
        const description = await page.locator('meta[name="description"]').getAttribute('content');
        const other = [...described].find(([, text]) => text === description);
        return other?.[0];
      }, path)
      .toBeUndefined();
    described.set(path, (await page.locator('meta[name="description"]').getAttribute('content')) ?? '');
  }
  expect([...described.values()].every((text) => text.length > 20)).toBe(true);
}

test('what a visitor reads: answers that are found, the plans and the beta offer, and a description of each page', async ({
  page,
  context,
  app,
}) => {
  await seenBefore(context, app.url);
  await page.goto('/help#roll-back');
  await test.step('FAQ and help answer real questions, and find them', () => readAnswers(page));
  await test.step('pricing shows the plans and the beta offer', () => readPlans(page));
  await test.step('every page has a description and words of its own', () => readDescriptions(page));
  await test.step('an address that is not there says so', async () => {
    await page.goto('/no-such-page');
    await expect(page.getByRole('heading', { level: 1, name: '404 Page Not Found' })).toBeVisible();
    await expect(page.getByText('Did you forget to add the page to the router?')).toBeVisible();
  });
});
