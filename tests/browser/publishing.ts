import { expect, type Page } from '@playwright/test';
import { nameDeployment } from './fixtures.ts';

export async function chooseFolder(page: Page, folder: string): Promise<void> {
  await page.getByLabel('Folder to publish').setInputFiles(folder);
}

export async function publishFolder(page: Page, folder: string, name: string): Promise<void> {
  await page.goto('/new-deployment');
  await chooseFolder(page, folder);
  await nameDeployment(page, name);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(/\/deployments\/[0-9a-z]{20}\/releases\/1$/);
}

/** Publishes the folder as it is now on the deployment whose release is shown. */
export async function publishAgain(page: Page, folder: string, number: number): Promise<void> {
  await page.goto(`${page.url().replace(/\/releases\/\d+$/, '')}#publish`);
  // A tab behind another one takes no files: Chromium tells it of them when it is seen again.
  await page.bringToFront();
  await chooseFolder(page, folder);
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.waitForURL(new RegExp(`/releases/${number}$`));
}

/** Waits until the release on the screen is live; returns the address of its site. */
export async function expectLive(page: Page): Promise<string> {
  const panel = page.getByLabel('Live', { exact: true });
  await expect(panel).toBeVisible();
  return (await panel.getByRole('link', { name: 'Visit' }).getAttribute('href')) ?? '';
}

/** Returns the answer of the site, requested by the browser itself, since Node does not know `*.localhost`. */
export async function bodyOf(page: Page, address: string): Promise<string> {
  const visitor = await page.context().newPage();
  const answer = await visitor.goto(address);
  const body = (await answer?.text()) ?? '';
  await visitor.close();
  return body;
}
