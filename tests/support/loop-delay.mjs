import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * A preload that watches the event loop of one process from inside: `node --import
 * ./tests/support/loop-delay.mjs …`. At SIGUSR2 it prints what 99 of 100 delays stayed below and the longest one so
 * far, and begins anew.
 */
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

process.on('SIGUSR2', () => {
  const [p99, longest] = [delay.percentile(99), delay.max].map((ns) => Math.round(ns / 1e6));
  process.stdout.write(`Delay of the event loop: p99 ${p99} ms, longest ${longest} ms\n`);
  delay.reset();
});
