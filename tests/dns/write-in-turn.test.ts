import { expect, test } from 'vitest';
import type { FoundRecordSet, RecordChange } from '../../server/dns/provider.ts';
import { pendingChangesInTurn, writeInTurn } from '../../server/dns/providers/write-in-turn.ts';

const CNAME: RecordChange = {
  type: 'CNAME',
  name: 'www.ours.test',
  before: { ttl: 300, values: ['old.example.net'] },
  after: null,
};
const ADDRESS: RecordChange = {
  type: 'A',
  name: 'www.ours.test',
  before: null,
  after: { ttl: 300, values: ['192.0.2.1', '192.0.2.2'] },
};

test('sets are written in turn, what is removed first', async () => {
  const made: string[] = [];
  await writeInTurn([ADDRESS, CNAME], async ({ type }) => void made.push(type));
  expect(made).toEqual(['CNAME', 'A']);
});

test('a set that fails takes the others back, the last first, and its error is the one that is told', async () => {
  const made: string[] = [];
  const writing = writeInTurn([ADDRESS, CNAME], async ({ type, after }) => {
    made.push(`${type} ${after?.values.length ?? 0}`);
    if (type === 'A') throw new Error(after === null ? 'and again' : 'no');
  });
  await expect(writing).rejects.toThrow('no');
  expect(made).toEqual(['CNAME 0', 'A 2', 'A 0', 'CNAME 1']);
});

test('a set that a broken run left on its way is gone on with, and no other', () => {
  const found = (values: string[]): FoundRecordSet[] => [{ type: 'A', name: 'www.ours.test', ttl: 300, values }];
  expect(pendingChangesInTurn([ADDRESS], found(['192.0.2.2']))).toEqual([ADDRESS]);
  expect(pendingChangesInTurn([ADDRESS], found(['192.0.2.1', '192.0.2.2']))).toEqual([]);
  expect(pendingChangesInTurn([ADDRESS], [])).toEqual([ADDRESS]);
  expect(() => pendingChangesInTurn([ADDRESS], found(['192.0.2.2', '203.0.113.9']))).toThrow('changed in the meantime');
  const joining: RecordChange = {
    ...ADDRESS,
    before: { ttl: 300, values: ['a', 'b'] },
    after: { ttl: 300, values: ['a', 'c'] },
  };
  expect(pendingChangesInTurn([joining], found(['a']))).toEqual([joining]);
  expect(() => pendingChangesInTurn([joining], found(['b', 'c']))).toThrow('changed in the meantime');
});
