import { expect, test } from 'vitest';
import { elementsIn, rootOf } from '../../server/dns/providers/xml-answers.ts';

const KIB = 1024;

/** A page of the most that is asked for at once (server/dns/providers/route53.ts), each set with a dozen values. */
function honestPage(): string {
  const value = '<ResourceRecord><Value>192.0.2.1</Value></ResourceRecord>';
  const set = `<ResourceRecordSet><Name>a.example.</Name><Type>A</Type><TTL>300</TTL><ResourceRecords>${value.repeat(12)}</ResourceRecords></ResourceRecordSet>`;
  return `<?xml version="1.0"?>\r\n<Response>\r\n${set.repeat(50)}</Response>`;
}

test('a page of records is read', () => {
  expect(elementsIn(rootOf(honestPage()), 'ResourceRecordSet')).toHaveLength(50);
});

test('what is not read within some milliseconds is no answer, however it is made', () => {
  const fill = (piece: string, bytes = 200 * KIB): string => piece.repeat(Math.floor(bytes / piece.length));
  expect(rootOf(`<a>${fill('<b/>')}</a>`)).toBeNull();
  expect(rootOf(`<a>${fill('&amp;')}</a>`)).toBeNull();
  expect(rootOf(`<a ${Array.from({ length: 20_000 }, (_, number) => `a${number}="1"`).join(' ')}/>`)).toBeNull();
  expect(rootOf(`<a>${fill('x', 300 * KIB)}</a>`)).toBeNull();
});

test('line ends of two characters are read as one, a hundred thousand of them as well', () => {
  const lines = 100_000;
  expect(rootOf(`<a>${'\r\n'.repeat(lines)}</a>`)?.text).toBe('\n'.repeat(lines));
});
