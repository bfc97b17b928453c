import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * A preload that watches the event loop of one process from inside: `node --import ./tests/support/loop-delay.mjs …`.
 * At SIGUSR2 it prints the longest delay so far and begins anew.
 */
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

process.on('SIGUSR2', () => {
  process.stdout.write(`Longest delay of the event loop: ${Math.round(delay.max / 1e6)} ms\n`);
  delay.reset();
});
