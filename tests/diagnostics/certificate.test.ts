import { expect, test } from 'vitest';
import type { Finding, Subject, Tools } from '../../server/diagnostics/checks/check.ts';
import { certificate } from '../../server/diagnostics/checks/served/certificate.ts';

const NAME = 'harbour.example';
const PLACE = { address: '192.0.2.1', isOwn: true };
const SHOWN = {
  ...{ names: [NAME], issuer: 'House CA', serial: '0A', rsaBits: null },
  ...{ notBefore: new Date('2026-11-01'), notAfter: new Date('2027-01-30') },
};

/**
 * Returns the finding on a certificate with this error, where our private authority has issued the one named, and CAA
 * names a public one.
 */
async function findingOn(error: string, privateSerial: string | null, caa: string | null = null): Promise<Finding> {
  const own = { ...{ deploymentId: 'd', isServedHere: true, records: [], proof: null, domainId: 'domain' } };
  const subject: Subject = {
    ...{ name: NAME, isDomain: true, counterpart: null, url: `https://${NAME}/`, hasTls: true, witness: null },
    ...{ entrySha256: null, own: { ...own, certificateId: 'c', renewAt: null, privateSerial } },
  };
  const tools: Partial<Tools> = {
    now: () => new Date('2026-11-29'),
    serversOf: async () => [PLACE],
    caaOf: async (name) => (caa === null ? null : { name, values: [`0 issue "${caa}"`] }),
    caaQuestion: async () => ({ identities: ['ours.example'], isWildcard: false }),
    handshake: async () => ({ kind: 'secured', protocol: 'TLSv1.3', certificate: { ...SHOWN, error } }),
  };
  return certificate.run(subject, tools as Tools);
}

test.each([
  ['of the authority that the operator has set up', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', '0A', 'pass'],
  ['of it, with its root in the chain', 'SELF_SIGNED_CERT_IN_CHAIN', '0A', 'pass'],
  ['of it, signed by the root itself', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', '0A', 'pass'],
  ['of it, over', 'CERT_HAS_EXPIRED', '0A', 'fail'],
  ['of another one', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', '0B', 'fail'],
  ['of a public one', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', null, 'fail'],
])('a certificate %s (%s)', async (_, error, serial, verdict) => {
  expect((await findingOn(error, serial)).verdict).toBe(verdict);
});

test('a certificate that CAA records forbid to renew is not to be renewed before they are mended', async () => {
  const certificateRepair = { kind: 'certificate', certificateId: 'c' };
  const adviceWith = async (caa: string | null) => {
    const { fix, repair } = await findingOn('CERT_HAS_EXPIRED', null, caa);
    return [fix, repair];
  };
  expect(await adviceWith('ours.example')).toEqual(['Renew now.', certificateRepair]);
  expect(await adviceWith('theirs.example')).toEqual([
    'The CAA records of harbour.example do not allow ours.example to issue certificates. Add CAA 0 issue "ours.example" at harbour.example.',
    { kind: 'records', domainId: 'domain' },
  ]);
});
