/**
 * A preload for `node --expose-gc --import ./tests/support/collect-on-signal.mjs …`: at SIGUSR2 the process throws away what nobody
 * holds any more, and says so. What it holds then is what it keeps, and not what the collector has not come to yet.
 */
process.on('SIGUSR2', () => {
  globalThis.gc();
  process.stdout.write('Collected\n');
});
