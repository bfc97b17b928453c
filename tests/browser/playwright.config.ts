import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.ts';

const executablePath = process.env.CHROMIUM_PATH ?? (await findChromium());

export default defineConfig({
  testDir: '..',
  testMatch: ['**/browser/**/*.spec.ts', '**/specification/**/*.spec.ts'],
  // The gate has run it before, as a part of `npm test`.
  testIgnore: process.env.TEST_SIZE === 'gate' ? '**/browser/path.spec.ts' : [],
  globalSetup: './global-setup.ts',
  outputDir: '../../test-results/browser',
  fullyParallel: false,
  // A browser each beside the one app. For two cores, on which other tests run as well.
  workers: 2,
  // One that passes at its second try is named as flaky (tests/support/run.ts).
  retries: 1,
  // Both are there for what hangs: a busy machine may be many times slower, and nothing is told by how fast it was.
  timeout: 90_000,
  expect: { timeout: 30_000 },
  use: {
    // A trace takes as long again as the test itself: `--trace retain-on-failure` records one where a failure needs it.
    trace: 'off',
    // What moves is drawn by the processor, a tenth of what a page costs: it moves in full counts.
    contextOptions: process.env.TEST_SIZE === 'full' ? {} : { reducedMotion: 'reduce' },
    // To have one of a failure it is taken of every page that closes.
    screenshot: 'off',
    launchOptions: { executablePath, args: CHROMIUM_ARGS },
  },
});
