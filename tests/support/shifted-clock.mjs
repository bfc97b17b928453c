/**
 * A preload that makes the clock of one process wrong: `node --import ./tests/support/shifted-clock.mjs …` with
 * CLOCK_SHIFT_MS, at once, or with CLOCK_SHIFT_AT=signal when SIGUSR2 comes. What counts monotonic time is not touched,
 * as with a real jump.
 */
const RealDate = Date;
const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? '0');
let appliedMs = process.env.CLOCK_SHIFT_AT === 'signal' ? 0 : shiftMs;

process.on('SIGUSR2', () => {
  appliedMs = shiftMs;
  process.stdout.write('The clock has jumped\n');
});

const now = () => RealDate.now() + appliedMs;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, args) => (args.length === 0 ? new target(now()) : new target(...args)),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
