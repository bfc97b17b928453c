import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { Scanner } from '@tailwindcss/oxide';
import { beforeAll, expect, test } from 'vitest';
import { brotliKb, readWebManifest, type WebManifest } from '../support/web-build.ts';

/**
 * The pages and the server as they are built, in `dist`, which `npm test` builds first. A count of KB is exact and the
 * same on every machine.
 */
const WEB_ROOT = new URL('../../dist/web/', import.meta.url).pathname;
const SERVER_ROOT = new URL('../../dist/server/', import.meta.url).pathname;

let manifest: WebManifest;

beforeAll(async () => {
  manifest = await readWebManifest(WEB_ROOT);
});

test('all style sheets together stay within 15 KB', async () => {
  const sheets = new Set(Object.values(manifest).flatMap(({ css = [] }) => css));
  expect(sheets.size).toBe(1);
  expect(await brotliKb(WEB_ROOT, sheets)).toBeLessThanOrEqual(15);
});

test('the style sheet takes classes from all that the app lists templates with, and from no template', async () => {
  const base = new URL('../../src/styles/', import.meta.url).pathname;
  const leftOut = [...(await readFile(join(base, 'base.css'), 'utf8')).matchAll(/@source not "([^"]+)"/g)];
  const templates = new URL('../../src/features/deployments/templates/', import.meta.url).pathname;
  const { files } = new Scanner({
    sources: [
      { base: templates, pattern: '**/*', negated: false },
      ...leftOut.map(([, pattern = '']) => ({ base, pattern, negated: true })),
    ],
  });
  const listing = (await readdir(templates)).filter((name) => name.includes('.'));
  expect(files.map((file) => relative(templates, file)).sort()).toEqual(listing.sort());
});

test('no chunk comes from the server, and none names a module of Node', async () => {
  const sources = Object.keys(manifest).filter((name) => !name.startsWith('../node_modules/'));
  expect(sources.filter((name) => /(^|\/)(server|tests|dist)\//.test(name))).toEqual([]);

  const scripts = (await readdir(join(WEB_ROOT, 'assets'))).filter((name) => name.endsWith('.js'));
  const named = Object.values(manifest).map(({ file }) => basename(file));
  expect(named.filter((file) => file.endsWith('.js') && !scripts.includes(file))).toEqual([]);
  const found: string[] = [];
  for (const script of scripts) {
    const text = await readFile(join(WEB_ROOT, 'assets', script), 'utf8');
    found.push(...nodeModulesIn(text).map((name) => `${script}: ${name}`), ...serverWordsIn(text, script));
  }
  expect(found).toEqual([]);
});

test('no file of the server has a character for which V8 would keep all of it with two bytes each', async () => {
  const scripts = (await readdir(SERVER_ROOT, { recursive: true })).filter((name) => name.endsWith('.js'));
  expect(scripts).toContain('main.js');
  const texts = await Promise.all(scripts.map((name) => readFile(join(SERVER_ROOT, name), 'utf8')));
  expect(scripts.filter((_, index) => /[\u0100-\uffff]/.test(texts[index] ?? ''))).toEqual([]);
});

test('the server starts without what its first answer does not need, and reads 4.6 MB', async () => {
  const { sources, sizeBytes } = await readAtStart();
  expect(sources.filter((name) => name.endsWith('/server/boot/serving.ts'))).toHaveLength(1);
  const later = /node_modules\/(?:@node-rs|@peculiar|nodemailer|stripe|tr46|undici|whatwg-url)\//;
  expect(sources.filter((name) => later.test(name))).toEqual([]);
  expect(sizeBytes).toBeLessThanOrEqual(4_600_000);
});

/** Returns the size of the files that Node reads before the app listens, and the sources that they were built from. */
async function readAtStart(): Promise<{ sources: string[]; sizeBytes: number }> {
  const scripts = await readdir(join(SERVER_ROOT, 'assets'));
  const loaded = scripts.filter((name) => /^(?:life-cycle|child)-.+\.js$/.test(name));
  const files = new Set(['main.js', ...loaded.map((name) => `assets/${name}`)]);
  const sources: string[] = [];
  let sizeBytes = 0;
  for (const file of files) {
    const text = await readFile(join(SERVER_ROOT, file), 'utf8');
    sizeBytes += text.length;
    for (const [, name = ''] of text.matchAll(/^import (?:.+ from )?"([^"]+)";$/gm)) {
      if (name.startsWith('.')) files.add(join(dirname(file), name));
      else sources.push(`node_modules/${name}/`);
    }
    if (text.includes('//# sourceMappingURL=')) sources.push(...(await sourcesOf(`${file}.map`)));
  }
  return { sources, sizeBytes };
}

async function sourcesOf(map: string): Promise<string[]> {
  return JSON.parse(await readFile(join(SERVER_ROOT, map), 'utf8')).sources;
}

/** Imports that a browser could not follow, and the text by which Vite replaces one. */
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
