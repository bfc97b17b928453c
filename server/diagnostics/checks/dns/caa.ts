import {
  type CaaQuestion,
  caaText,
  judgeCaa,
  MUTE_REMEDY,
  muteText,
  namesAccount,
  strangeTags,
} from '../../../dns/caa.ts';
import { DnsLookupError } from '../../../dns/dns-client.ts';
import { type Check, fail, namesOf, pass, type Tools, unknown, warn } from '../check.ts';

type CaaSet = Awaited<ReturnType<Tools['caaOf']>>;

/** Checks whether CAA records let the certificate authority sign (RFC 8659). */
export const caa: Check = {
  id: 'caa',
  why: 'CAA records say which authorities may issue certificates for the name. The others refuse.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const sets = await Promise.all(namesOf(subject).map((name) => tools.caaOf(name).catch(failureOf)));
    const failed = sets.find((set) => set instanceof DnsLookupError);
    if (failed instanceof DnsLookupError) {
      if (failed.muteZone === null) return unknown('The CAA records could not be read.');
      return fail(`${muteText(failed.muteZone)}.`, MUTE_REMEDY);
    }
    const found = sets.flatMap((set) => (set instanceof DnsLookupError || set === null ? [] : [set]));
    const [first] = found;
    if (first === undefined) return pass(`${subject.name} has no CAA records: every authority may issue certificates.`);
    const facts = { [`CAA of ${first.name}`]: first.values };
    return { ...(await judge(found, tools)), facts };
  },
};

function failureOf(error: unknown): DnsLookupError {
  if (error instanceof DnsLookupError) return error;
  throw error;
}

/** For an unknown authority, only records that no authority accepts count. */
const NOBODY: CaaQuestion = { identities: [], isWildcard: false };

async function judge(found: readonly NonNullable<CaaSet>[], tools: Tools) {
  const question = (await tools.caaQuestion()) ?? NOBODY;
  const [identity] = question.identities;
  const shown = found.map(({ name, values }) => `${name}: ${values.join(', ')}`).join('; ');
  for (const { name, values } of found) {
    const refusal = judgeCaa(values, question);
    if (refusal === null) continue;
    const fix = refusal.add === null ? `Remove the critical record at ${name}.` : `Add CAA ${refusal.add} at ${name}.`;
    return fail(caaText(refusal, name, identity ?? ''), fix);
  }
  const strange = found.flatMap(({ values }) => strangeTags(values));
  if (strange.length > 0)
    return warn(`No authority knows the tag ${strange.join(', ')}: ${shown}.`, 'Write issue, issuewild or iodef.');
  if (found.every(({ values }) => values.every((value) => / iodef /.test(value))))
    return warn(`The CAA records only name a contact: ${shown}.`, 'Add a record that names who may issue.');
  if (identity === undefined) return pass(`CAA records are there: ${shown}.`);
  if (question.accountUrl !== undefined && found.some(({ values }) => namesAccount(values))) {
    const seen = `CAA allows ${identity} to issue certificates only for the account of this Fairlead: ${shown}.`;
    return warn(seen, 'Remove accounturi before this Fairlead gets another account at the authority.');
  }
  return pass(`CAA allows ${identity} to issue certificates: ${shown}.`);
}
