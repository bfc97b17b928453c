import { type Check, fail, isOurs, pass, unknown, type Visit, warn } from '../check.ts';

const VISITS = 5;
const FAST_MS = 300;
const SLOW_MS = 1_000;

/** Measures how long visitors wait for the first byte: the median of a few visits. */
export const replyTime: Check = {
  id: 'reply-time',
  why: 'Visitors leave a page that keeps them waiting, and search engines rank it lower.',
  async run({ url }, tools) {
    const visits: Visit[] = [];
    for (let count = 0; count < VISITS; count += 1) visits.push(await tools.visit(`${url}?fairlead=${count}`));
    if (visits.every(isOurs)) return unknown(`${url} cannot be reached from here.`);
    const times = visits.flatMap((visit) => (visit.fault === null ? [visit.firstByteMs] : [])).sort((a, b) => a - b);
    const errors = visits.length - times.length;
    const fix = 'Put a CDN in front, or move the site nearer to its visitors.';
    if (errors > 0)
      return fail(`${errors} of ${VISITS} test requests got no answer.`, 'Check whether the host is overloaded.');
    const median = Math.round(times[Math.floor(times.length / 2)] ?? 0);
    const seen = `The first byte comes after ${median} ms, the median of ${VISITS} test requests.`;
    if (median >= SLOW_MS) return fail(seen, fix);
    return median >= FAST_MS ? warn(seen, fix) : pass(seen);
  },
};
