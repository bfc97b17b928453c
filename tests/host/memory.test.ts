import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readRequestPath } from '../../server/host/request-path.ts';
import { createRequestReader } from '../../server/host/route.ts';
import { createSiteRules } from '../../server/host/site-rules.ts';

const TIMES = 2_000;
const LONG = 15_000;
/** A third of what there would be if one long text were kept for each time. */
const KEPT_MAX = (TIMES * LONG) / 3;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** What stays in memory after this was done many times with something that is new each time. */
function keptAfter(act: (index: number) => void): number {
  act(0);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 1; index <= TIMES; index += 1) act(index);
  collect();
  return process.memoryUsage().heapUsed - before;
}

function requestFor(url: string, host: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  return Object.assign(request, { method: 'GET', url, rawHeaders: ['Host', host], headers: { host } });
}

/** A text of its own, as one that came over the wire. */
const fresh = (start: string, end: string): string => Buffer.from(start + 'x'.repeat(LONG) + end).toString();

test('names of hosts that are none leave nothing behind, nor do the addresses that a name is taken from', () => {
  const read = createRequestReader({ sitesDomain: 'localhost', appHost: 'app.example' });
  expect(keptAfter((index) => void read(requestFor('/', fresh(`a${index}_`, ''))))).toBeLessThan(KEPT_MAX);
  const absolute = (index: number): string => fresh(`http://some-long-site-${index}.localhost/?`, '');
  expect(read(requestFor(absolute(0), 'x'))).toMatchObject({ target: { kind: 'live', slug: 'some-long-site-0' } });
  expect(keptAfter((index) => void read(requestFor(absolute(index), 'x')))).toBeLessThan(KEPT_MAX);
});

test('what a site says of many addresses is kept once, without their queries', () => {
  const value = 'x'.repeat(1_500);
  const rules = createSiteRules(new Map([['_headers', `/*\n  A: ${value}\n`.repeat(5)]]));
  const ask = (target: string): unknown => rules?.headersFor(readRequestPath(target)?.file ?? '');
  expect(ask('/a')).toMatchObject({ set: ['A', expect.stringContaining(value)] });
  expect(keptAfter((index) => void ask(fresh(`/a-page-with-a-long-name-${index}?`, '')))).toBeLessThan(KEPT_MAX / 2);
  expect(keptAfter((index) => void ask(fresh('/', `${index}`)))).toBeLessThan(KEPT_MAX / 2);
});
