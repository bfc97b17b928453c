import { expect, test } from 'vitest';
import type { CheckedRecord } from '../../../routers/schemas/domains.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { transaction } from '../../../server/database/mongo.ts';
import { boundedAnswers } from '../../../server/domains/records/record-states.ts';
import { saveCheck } from '../../../server/domains/save-check.ts';
import { createTestApp } from '../../support/app.ts';

const ROUTE = { ttl: 300, purpose: 'route', required: true, alternativeGroup: null, state: 'wrong' } as const;

const AT_PLATFORM = { isServedHere: false, addresses: [], alias: null, issuers: [] };
const NO_ANSWERS = {
  ...{ zone: null, isUnanswered: false, misplacedProof: null, conflict: null, isDnssecBroken: false },
  ...{ nameServers: new Map(), resolvers: new Map(), hosts: new Map() },
};

/** A record that sixteen name servers answer with this text, in so many values. */
function answered(name: string, text: string, count: number): CheckedRecord {
  const seen = Array.from({ length: 16 }, (_, index) => ({
    ...{ server: `ns${index}.evil.test`, address: '192.0.2.1', isAuthority: true, ttl: 300, error: null },
    values: Array.from({ length: count }, () => text),
  }));
  return { ...ROUTE, type: 'A', name, value: '192.0.2.10', seen };
}

const sizeOf = (records: readonly unknown[]): number => Buffer.byteLength(JSON.stringify(records));

test('what strangers answer is kept up to a sum for all records of a domain, the first answers of each', async () => {
  await using app = await createTestApp();
  const records = ['a.test', 'b.test', 'c.test'].map((name) => answered(name, 'é'.repeat(256), 4));
  expect(sizeOf(records)).toBeGreaterThan(90_000);
  const accountId = 'owner of a.test';
  const domain = await DomainModel.create({
    ...{ _id: 'a.test', accountId, deploymentId: 'its deployment', name: 'a.test', unit: 'a.test' },
    ...{ servedName: 'a.test', state: 'pending_dns', proof: { name: '_fairlead.a.test', value: 'proof' } },
    ...{ nextCheckAt: app.providers.now(), quickFrom: app.providers.now() },
  });

  await transaction((session) =>
    saveCheck(session, app.providers, {
      domain,
      answers: NO_ANSWERS,
      records,
      target: AT_PLATFORM,
      zoneHolder: null,
      tookMs: 0,
    }),
  );

  const kept = (await DomainModel.findOne({ _id: 'a.test', accountId }).lean())?.records ?? [];
  expect(sizeOf(kept)).toBeLessThan(17_000);
  expect(kept.map(({ seen }) => [seen.length, seen[0]])).toEqual(
    [3, 2, 2].map((count, index) => [count, records[index]?.seen[0]]),
  );
});

test('what is usual is kept whole', () => {
  const records = ['a.test', 'b.test', 'c.test', 'd.test'].map((name) => answered(name, '192.0.2.10', 2));
  expect(boundedAnswers(records)).toEqual(records);
});
