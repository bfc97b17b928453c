import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { publishSite } from '../support/api-account.ts';
import { oddNames, type SiteFiles, twentyPages, writeSite } from '../support/sites.ts';
import { IS_FULL } from '../support/size.ts';
import { viteBuild } from '../support/vite-build.ts';
import { expect, newcomer, test } from './fixtures.ts';
import { expectLive, publishFolder } from './publishing.ts';

/** A file of any type, asked for by a page of its site. */
async function fetchedBySite(page: Page, address: string, encodedPath: string): Promise<string> {
  const visitor = await page.context().newPage();
  await visitor.goto(address);
  const body = await visitor.evaluate(async (path) => (await fetch(path)).text(), `/${encodedPath}`);
  await visitor.close();
  return body;
}

/**
 * Runs in the page: waits until Publish may be pressed. A report that came later would make the page shorter, and move
 * the button away while it is pressed.
 */
function isReportedOncePublishable(): Promise<boolean> {
  const isPublish = ({ textContent, disabled }: HTMLButtonElement) => textContent === 'Publish' && !disabled;
  return new Promise((resolve) => {
    new MutationObserver((_changes, observer) => {
      if (![...document.querySelectorAll('button')].some(isPublish)) return;
      observer.disconnect();
      resolve(document.querySelector('section[data-chosen]') !== null);
    }).observe(document, { subtree: true, childList: true, attributes: true });
  });
}

test('a folder is taken by dropping it on the page, and published not before its report is there', async ({
  page,
  folder,
}) => {
  const site = await writeSite(join(folder, 'dropped site'), twentyPages());
  await newcomer(page);
  await page.goto('/new-deployment');
  await expect(page.getByText('Drop a folder').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Choose a folder' })).toBeEnabled();
  const isReportedFirst = page.evaluate(isReportedOncePublishable);
  const cdp = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [site], dragOperationsMask: 1 };
    await cdp.send('Input.dispatchDragEvent', { type, x: 500, y: 400, data });
  }
  await expect(page.getByLabel('Folder dropped site')).toContainText('Static website, 23 files');
  expect(await isReportedFirst).toBe(true);
});

test('names with spaces, umlauts and emoji are served as they are', async ({ page, folder }) => {
  const files: SiteFiles = oddNames();
  await writeSite(folder, files);
  await newcomer(page);
  await publishFolder(page, folder, 'odd names');
  const address = await expectLive(page);
  for (const path of Object.keys(files)) {
    const encoded = path.normalize('NFC').split('/').map(encodeURIComponent).join('/');
    const wanted = await readFile(join(folder, path), 'utf8');
    expect(await fetchedBySite(page, address, encoded), path).toBe(wanted);
  }
});

test('old encodings are read as their pages say, and what was packed before it came is unpacked', async ({ page }) => {
  const account = await newcomer(page);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';
  const { siteUrl } = await publishSite(account, 'old and packed', {
    'index.html': '<!doctype html><img src="/a.svgz">',
    'old.html': Buffer.concat([
      Buffer.from('<!doctype html><html><head><meta charset="shift_jis"></head><body><p>'),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
    ]),
    'feed.xml': Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><t>\u00e9</t>', 'latin1'),
    'utf8.html': '<!doctype html><p>日本</p>',
    'a.svgz': gzipSync(svg),
    'Build/game.framework.js.br': brotliCompressSync('run()'),
    'Build/game.wasm.gz': gzipSync(Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])),
    'backup.tar.gz': gzipSync('kept as it is'),
  });
  await page.goto(siteUrl);
  const seen = await page.evaluate(async () => {
    const feed = new DOMParser().parseFromString('<a/>', 'text/xml');
    const request = new XMLHttpRequest();
    await new Promise((resolve) => {
      request.onload = resolve;
      request.open('GET', '/feed.xml');
      request.send();
    });
    await WebAssembly.compileStreaming(fetch('/Build/game.wasm.gz'));
    return {
      width: document.querySelector('img')?.naturalWidth,
      script: await (await fetch('/Build/game.framework.js.br')).text(),
      feed: (request.responseXML ?? feed).documentElement.textContent,
      packed: [...new Uint8Array(await (await fetch('/backup.tar.gz')).arrayBuffer())].slice(0, 2),
    };
  });
  expect(seen).toEqual({ width: 8, script: 'run()', feed: 'é', packed: [0x1f, 0x8b] });
  const read = async (path: string) => {
    await page.goto(`${siteUrl}${path}`);
    return page.evaluate(() => [document.characterSet, document.body.textContent]);
  };
  expect(await read('/old.html')).toEqual(['Shift_JIS', '日本']);
  expect(await read('/utf8.html')).toEqual(['UTF-8', '日本']);
});

// How the host serves hashed files is held by tests/host, and by tests/support/visitor.ts in the tests of faults.
if (IS_FULL) {
  test('a Vite build goes live with its hashed files', async ({ page, folder }) => {
    const build = await viteBuild(folder, 'Built by Vite');
    await newcomer(page);
    await publishFolder(page, build, 'vite site');
    const visitor = await page.context().newPage();
    await visitor.goto(await expectLive(page));
    await expect(visitor.getByText('Built by Vite')).toBeVisible();
  });
}
