import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { brotliKb, readWebManifest, scriptsOf, WEB_ENTRY, type WebManifest } from '../support/web-build.ts';

/**
 * The pages as they are built, in `dist/web`, which `npm test` builds first. Budgets: performance facts, section 8; a
 * count of KB is exact and the same on every machine.
 */
const WEB_ROOT = new URL('../../dist/web/', import.meta.url).pathname;
/** What stands around every screen of the app before its first paint. */
const APP = ['layouts/sidebar.tsx', 'layouts/account-menu.tsx', 'api/data-provider.tsx', 'realtime/provider.tsx'];
const PUBLIC_KB = 100;
const SIGN_IN_KB = 104;
const APP_KB = 140;

const BUDGETS = [
  { route: '/', roots: ['screens/home.tsx'], budgetKb: PUBLIC_KB },
  { route: '/disclaimer', roots: ['screens/disclaimer.tsx'], budgetKb: PUBLIC_KB },
  { route: '/about', roots: ['screens/about.tsx'], budgetKb: PUBLIC_KB },
  { route: '/faq', roots: ['layouts/sidebar.tsx', 'screens/faq.tsx'], budgetKb: PUBLIC_KB },
  { route: '/pricing', roots: ['layouts/sidebar.tsx', 'screens/pricing.tsx'], budgetKb: PUBLIC_KB },
  { route: '/login and /register', roots: ['screens/auth.tsx'], budgetKb: SIGN_IN_KB },
  { route: '/dashboard', roots: [...APP, 'screens/dashboard.tsx'], budgetKb: APP_KB },
  { route: '/deployments', roots: [...APP, 'screens/deployments.tsx'], budgetKb: APP_KB },
  { route: '/deployments/{id}', roots: [...APP, 'screens/deployment.tsx'], budgetKb: APP_KB },
  { route: '/new-deployment', roots: [...APP, 'screens/new-deployment.tsx'], budgetKb: APP_KB },
  { route: '/quick-deploy', roots: [...APP, 'screens/quick-deploy.tsx'], budgetKb: APP_KB },
  { route: '/guided-deployment', roots: [...APP, 'screens/guided-deployment.tsx'], budgetKb: APP_KB },
  { route: '/unified-deployment', roots: [...APP, 'screens/unified-deployment.tsx'], budgetKb: APP_KB },
  { route: '/settings', roots: [...APP, 'screens/settings.tsx'], budgetKb: APP_KB },
  { route: '/account', roots: [...APP, 'screens/account.tsx'], budgetKb: APP_KB },
  { route: '/deployment-history', roots: [...APP, 'screens/deployment-history.tsx'], budgetKb: APP_KB },
  { route: '/deployments/{id}/releases/{n}', roots: [...APP, 'screens/release.tsx'], budgetKb: APP_KB },
];

let manifest: WebManifest;

beforeAll(async () => {
  manifest = await readWebManifest(WEB_ROOT);
});

test.each(BUDGETS)('the first load of $route stays within $budgetKb KB of JavaScript', async ({ roots, budgetKb }) => {
  const shell = [WEB_ENTRY, ...(manifest[WEB_ENTRY]?.dynamicImports ?? [])];
  const kb = await brotliKb(WEB_ROOT, scriptsOf(manifest, [...shell, ...roots]));
  expect(kb).toBeGreaterThan(58);
  expect(kb).toBeLessThanOrEqual(budgetKb);
});

test('all style sheets together stay within 15 KB', async () => {
  const sheets = new Set(Object.values(manifest).flatMap(({ css = [] }) => css));
  expect(sheets.size).toBeGreaterThan(0);
  expect(await brotliKb(WEB_ROOT, sheets)).toBeLessThanOrEqual(15);
});

test('no chunk comes from the server, and none names a module of Node', async () => {
  const sources = Object.keys(manifest);
  expect(sources.filter((name) => /(^|\/)(server|tests|dist)\//.test(name))).toEqual([]);

  const scripts = (await readdir(join(WEB_ROOT, 'assets'))).filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(20);
  const found: string[] = [];
  for (const script of scripts) {
    const text = await readFile(join(WEB_ROOT, 'assets', script), 'utf8');
    found.push(...nodeModulesIn(text).map((name) => `${script}: ${name}`), ...serverWordsIn(text, script));
  }
  expect(found).toEqual([]);
});

/** Imports that a browser could not follow, and what Vite puts in the place of one. */
function nodeModulesIn(text: string): string[] {
  const imported = [...text.matchAll(/(?:from|import|require)\s*\(?\s*["'`]([^"'`]+)["'`]/g)].map(
    ([, name = '']) => name,
  );
  const ofNode = imported.filter((name) => name.startsWith('node:') || builtinModules.includes(name));
  return text.includes('__vite-browser-external') ? [...ofNode, '__vite-browser-external'] : ofNode;
}

/** Words of the code that only the server has. */
function serverWordsIn(text: string, script: string): string[] {
  const words = ['mongodb://', 'mongoose', 'process.env.', 'TOKEN_SECRET'];
  return words.filter((word) => text.includes(word)).map((word) => `${script}: ${word}`);
}

test('the search for modules of Node finds one', () => {
  expect(nodeModulesIn('import{a}from"node:fs";import("crypto");import b from"./b.js"')).toEqual(['node:fs', 'crypto']);
});
