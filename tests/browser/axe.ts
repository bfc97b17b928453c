import { expect, type Locator, type Page } from '@playwright/test';
import axe from 'axe-core';
import { follow, look } from '../specification/navigation.ts';
import type { Route } from '../specification/route-table.ts';
import { IS_FULL } from '../support/size.ts';

const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
type Look = { theme: Theme; width: number };

/**
 * Every rule at either width, and every colour in either theme. Colours are the same at each width, so that the other two
 * are looked at in full counts alone.
 */
const LOOKS: readonly Look[] = [
  { theme: 'light', width: 360 },
  { theme: 'dark', width: 1280 },
  ...(IS_FULL ? [{ theme: 'light', width: 1280 } as const, { theme: 'dark', width: 360 } as const] : []),
];
/** Between the two others, with a layout of its own; what axe finds there is looked for in full counts alone. */
const MIDDLE: readonly Look[] = (IS_FULL ? THEMES : (['light'] as const)).map((theme) => ({ theme, width: 768 }));
/** The looks besides those of `LOOKS`: light colours on a wide screen. */
export const BESIDE: readonly Look[] = [{ theme: 'light', width: 1280 }];

/** `read`: the looks in which axe reads the screen; none of them all may scroll sideways. */
export async function expectAccessible(page: Page, where: string, looks = LOOKS, read = looks): Promise<void> {
  for (const one of looks) {
    const { theme, width } = one;
    await wear(page, theme);
    await page.setViewportSize({ width, height: 800 });
    if (read.includes(one)) expect(await seriousIn(page), `${where}, ${theme}, ${width} px`).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow, `${where} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
  }
}

/** Goes from screen to screen without a load between them, so that the page reads the source of axe once. */
export async function walkAccessibly(page: Page, rows: readonly Route[]): Promise<void> {
  for (const row of rows) {
    await follow(page, row.path);
    const { address } = await look(page, row.path, row);
    expect.soft(address).toBe(row.path.split('#')[0]);
    await expect(page.getByRole('status').filter({ visible: true, hasText: /^Loading/ })).toHaveCount(0);
    await expectAccessible(page, row.path);
    await expectAccessible(page, row.path, MIDDLE, IS_FULL ? MIDDLE : []);
  }
}

async function wear(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
}

async function seriousIn(page: Page, within?: string): Promise<string[]> {
  const findings = await findingsIn(page, within);
  return findings.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ what }) => what);
}

/** `within`: a selector of the one part that is looked at. */
export async function findingsIn(page: Page, within?: string): Promise<Finding[]> {
  // Its half a megabyte of source is read by a page once, not at each look.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(findHere, within);
}

type Finding = { impact: string; what: string };

/** Runs in the page: of all that axe writes down only what is wrong leaves it. */
async function findHere(within: string | undefined): Promise<Finding[]> {
  // Colours change over 120 ms: axe must not measure one on its way. What runs for ever is not waited for.
  // What follows a scroll ends with no time.
  const ending = document
    .getAnimations()
    .filter(({ effect, timeline }) => timeline === document.timeline && effect?.getTiming().iterations !== Infinity);
  await Promise.all(ending.map((animation) => animation.finished.catch(() => null)));
  const here: typeof axe = Reflect.get(window, 'axe');
  const { violations } = await here.run(
    // No site of a tenant is looked into.
    { exclude: ['iframe'], ...(within !== undefined && { include: [within] }) },
    { resultTypes: ['violations'], selectors: false },
  );
  return violations.map(({ id, impact, nodes }) => {
    return { impact: String(impact), what: `${id}: ${nodes.map((node) => node.html).join(' | ')}` };
  });
}

type Over = 'dialog' | 'alertdialog' | 'menu' | 'listbox';

/** Opens what stands over the screen and looks at it. */
export async function expectOpened(page: Page, opener: Locator, role: Over): Promise<void> {
  await opener.click();
  await expectOver(page, role);
}

/** It alone: nothing below can be read or reached meanwhile. It wears the colours of the screens, so one theme is enough. */
export async function expectOver(page: Page, role: Over): Promise<void> {
  await expect(page.getByRole(role)).toBeVisible();
  const name = await page.getByRole(role).innerText();
  for (const theme of IS_FULL ? THEMES : (['dark'] as const)) {
    await wear(page, theme);
    const found = await seriousIn(page, `[role=${role}]`);
    expect(found, `${role} ${name}, ${theme}`).toEqual([]);
  }
}

export async function close(page: Page, role: Over): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.getByRole(role)).toHaveCount(0);
}

/** A toast that leaves by itself while axe is measuring would be seen half faded. */
export const STILL = { contextOptions: { reducedMotion: 'reduce' } } as const;
