import { afterEach, expect, test, vi } from 'vitest';
import { PlanView } from '../../src/features/subscription/plan-view.tsx';
import { betaOffer, priceOf } from '../../src/lib/prices.ts';
import { showScreen } from '../support/screen.tsx';

function serverWrites(content: string): void {
  document.head.innerHTML = `<meta name="fairlead-checkout" content="${content}">`;
}

afterEach(() => document.head.replaceChildren());

test.each([
  ['test', 'PRO', '$29', 'a month'],
  ['', 'BETA', '$10', 'once, 6 months'],
  ['BASIC:500:usd PRO:2750:eur BETA:1000:usd', 'PRO', '€27.50', 'a month'],
  ['BETA:900:eur', 'BETA', '€9', 'once, 6 months'],
  ['PRO:4500:jpy', 'PRO', '¥4,500', 'a month'],
] as const)('of a page with “%s” %s costs %s %s', (written, plan, amount, period) => {
  serverWrites(written);
  expect(priceOf(plan)).toEqual({ amount, period });
});

test.each([
  ['test', '$10 once for 6 months of Pro features, over 90% off'],
  ['', '$10 once for 6 months of Pro features, over 90% off'],
  ['PRO:2750:eur BETA:900:eur', '€9 once for 6 months of Pro features, over 90% off'],
  ['PRO:1500:eur BETA:900:eur', '€9 once for 6 months of Pro features'],
  ['PRO:2900:usd BETA:900:eur', '€9 once for 6 months of Pro features'],
])('of a page with “%s” the beta is offered for %s', async (written, offer) => {
  serverWrites(written);
  expect(betaOffer()).toBe(`Beta testers pay ${offer}`);
  vi.resetModules();
  const { disclaimerSections } = await import('../../src/features/disclaimer/disclaimer-text.ts');
  const paragraphs = disclaimerSections.flatMap((section) => section.paragraphs);
  expect(paragraphs).toContain(`Beta testers pay ${offer}. It does not renew.`);
});

test('the plans are shown at the prices of the payment service, and name the test checkout where it is', async () => {
  serverWrites('STANDARD:1100:eur BETA:950:eur');
  using hosted = showScreen(<PlanView situation={{ kind: 'visitor' }} />, {});
  await hosted.sees('€11');
  expect(hosted.page.textContent).toContain('Beta testers pay €9.50 once for 6 months of Pro features. Early access');
  expect(hosted.page.textContent).not.toMatch(/over 90% off/i);
  expect(hosted.page.textContent).not.toContain('test checkout');
  serverWrites('test');
  using own = showScreen(<PlanView situation={{ kind: 'visitor' }} />, {});
  await own.sees('Over 90% off');
  const platforms = [...own.page.querySelectorAll('dt')].filter((one) => one.textContent === 'Platforms per site');
  expect(platforms.map((one) => one.nextElementSibling?.textContent)).toEqual(['One', 'One', 'Several', 'Several']);
  await own.sees('This Fairlead has a test checkout, in which no money moves. A monthly plan renews');
});
