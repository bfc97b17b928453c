import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { newId } from '../../server/database/mongo.ts';
import { createLocalAuthority } from '../../server/domains/certificates/authority/local-ca.ts';
import { sealKey } from '../../server/domains/certificates/authority/sealed-key.ts';
import { createRequest, makeKey, requireServable } from '../../server/domains/certificates/authority/x509.ts';
import type { Secrets } from '../../server/lib/crypto/secrets.ts';
import { DAY_MS } from '../../server/lib/durations.ts';
import { ownRoots } from '../support/local-roots.ts';

/** Signing takes some milliseconds: so many are signed, and each name has a row of its own with one of them. */
const SIGNED = 50;
const BATCH = 1_000;
const { signal } = new AbortController();

/** Stores a certificate for each of so many names, `0.bench.test` and on. */
export async function storeCertificates(secrets: Secrets, count: number, signedCount = SIGNED): Promise<void> {
  const signed = await sign(secrets, signedCount);
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, offset) => {
      const index = from + offset;
      const its = signed[index % signed.length];
      if (its === undefined) throw new Error('Nothing was signed.');
      return rowOf(secrets, `${index}.bench.test`, its);
    });
    await CertificateModel.insertMany(rows);
  }
}

type Signed = Awaited<ReturnType<typeof sign>>[number];

function sign(secrets: Secrets, count: number) {
  const authority = createLocalAuthority({ roots: ownRoots(), secrets, now: () => new Date() });
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const name = `${index}.bench.test`;
      const { pem: key } = await makeKey();
      const call = { accountKey: '', accountUrl: '', signal };
      const chain = await authority.finish(call, `local:${name}`, await createRequest([name], key));
      return { key, chain, facts: requireServable(chain, key, [name]) };
    }),
  );
}

function rowOf(secrets: Secrets, name: string, { key, chain, facts }: Signed) {
  const [_id, accountId, names] = [newId(), newId(), [name]];
  const sealed = sealKey(secrets, { _id, accountId }, key);
  return {
    ...{ _id, accountId, domainId: newId(), names, history: [], state: 'issued' as const },
    issued: { ...facts, names, chain, key: sealed, authorityId: 'local', chosen: 0 },
    renewAt: new Date(Date.now() + DAY_MS),
  };
}
