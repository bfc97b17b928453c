import { watchLoop } from './held-loop.mjs';

/**
 * A preload that watches the event loop of one process from inside: `node --import
 * ./tests/support/loop-delay.mjs …`. At SIGUSR2 it prints what 99 of 100 delays stayed below and the longest one so
 * far, and begins anew.
 */
const loop = watchLoop();

process.on('SIGUSR2', () => {
  const { p99Ms, maxMs } = loop.read();
  process.stdout.write(`Delay of the event loop: p99 ${p99Ms} ms, longest ${maxMs} ms\n`);
  loop.reset();
});
