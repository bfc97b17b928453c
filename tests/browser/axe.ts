import AxeBuilder from '@axe-core/playwright';
import { expect, type Locator, type Page } from '@playwright/test';
import { IS_FULL } from '../support/size.ts';

const WIDTHS = [360, 1280];
const THEMES = ['light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
/** Those that axe runs by itself; the stricter contrast is none of them. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Everything in the one theme; the other has other colours and nothing else. */
async function axe(page: Page, theme: Theme): Promise<AxeBuilder> {
  // Its half a megabyte of source is read by a page once, not twice at each look.
  const isHere = await page.evaluate(() => 'axe' in window);
  // No site of a tenant is looked into, so no page of its own is needed to put the findings of frames together.
  const builder = new AxeBuilder({ page, ...(isHere && { axeSource: 'void 0' }) })
    .setLegacyMode(true)
    .exclude('iframe')
    .options({ resultTypes: ['violations'] });
  return theme === 'light' ? builder : builder.withRules(RULES_OF_COLOUR);
}

/** Colours are the same at each width: those of the dark theme are looked at in one, and in full counts at each. */
export async function expectAccessible(
  page: Page,
  where: string,
  { widths = WIDTHS, themes = THEMES }: { widths?: readonly number[]; themes?: readonly Theme[] } = {},
): Promise<void> {
  for (const theme of themes) {
    await wear(page, theme);
    for (const width of theme === 'light' || IS_FULL ? widths : widths.slice(-1)) {
      await page.setViewportSize({ width, height: 800 });
      expect(await seriousIn(page, await axe(page, theme)), `${where}, ${theme}, ${width} px`).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, `${where} scrolls sideways at ${width} px`).toBeLessThanOrEqual(0);
    }
  }
}

async function wear(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((name) => document.documentElement.setAttribute('data-theme', name), theme);
}

async function seriousIn(page: Page, builder: AxeBuilder): Promise<string[]> {
  // Colours change over 120 ms: axe must not measure one on its way. What runs for ever is not waited for.
  await page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.all(ending.map((animation) => animation.finished.catch(() => null)));
  });
  const { violations } = await builder.analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
}

type Over = 'dialog' | 'alertdialog' | 'menu' | 'listbox';

/** Opens what stands over the screen and looks at it. */
export async function expectOpened(page: Page, opener: Locator, role: Over): Promise<void> {
  await opener.click();
  await expectOver(page, role);
}

/** It alone: nothing below can be read or reached meanwhile. */
export async function expectOver(page: Page, role: Over): Promise<void> {
  await expect(page.getByRole(role)).toBeVisible();
  const name = await page.getByRole(role).innerText();
  for (const theme of THEMES) {
    await wear(page, theme);
    const found = await seriousIn(page, (await axe(page, theme)).include(`[role=${role}]`));
    expect(found, `${role} ${name}, ${theme}`).toEqual([]);
  }
}

export async function close(page: Page, role: Over): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.getByRole(role)).toHaveCount(0);
}

/** A toast that leaves by itself while axe is measuring would be seen half faded. */
export const STILL = { contextOptions: { reducedMotion: 'reduce' } } as const;
