import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { argv } from 'node:process';
import { readRequestPath } from '../../server/host/responses/request-path.ts';
import { createSiteRules } from '../../server/host/responses/site-rules.ts';
import { createRequestReader } from '../../server/host/routing/route.ts';

/** Answers many requests of visitors, each with a long text that is new, in a process whose heap would not hold them all. */
const TIMES = 5_000;
const LONG = 15_000;

/** Returns a text of its own, as one that came over the wire. */
const fresh = (start: string, end: string): string => Buffer.from(start + 'x'.repeat(LONG) + end).toString();

function requestFor(url: string, host: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  return Object.assign(request, { method: 'GET', url, rawHeaders: ['Host', host], headers: { host } });
}

const read = createRequestReader({ sitesDomain: 'localhost', appHost: 'app.example' });
const rules = await createSiteRules(new Map([['_headers', `/*\n  A: ${'x'.repeat(1_500)}\n`.repeat(5)]]));
const headersFor = (target: string): unknown => rules?.headersFor(readRequestPath(target)?.file ?? '');
const leak: string[] = [];

const CASES: Readonly<Record<string, (index: number) => unknown>> = {
  'invalid host names': (index) => read(requestFor('/', fresh(`a${index}_`, ''))),
  'addresses with a host name in them': (index) =>
    read(requestFor(fresh(`http://some-long-site-${index}.localhost/?`, ''), 'x')),
  'queries of pages with rules': (index) => headersFor(fresh(`/a-page-with-a-long-name-${index}?`, '')),
  'pages with rules': (index) => headersFor(fresh('/', `${index}`)),
  'a planted leak': (index) => leak.push(fresh(`${index}`, '')),
};

const run = CASES[argv[2] ?? ''];
if (run === undefined) throw new Error(`There is no case ${argv[2]}.`);
for (let index = 0; index < TIMES; index += 1) run(index);
process.stdout.write('done\n');
