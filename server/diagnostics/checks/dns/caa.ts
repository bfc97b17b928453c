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
import {
  type Check,
  type Finding,
  fail,
  namesOf,
  pass,
  recordsRepair,
  type Subject,
  type Tools,
  unknown,
  warn,
} from '../check.ts';

type CaaSet = Awaited<ReturnType<Tools['caaOf']>>;

/** Checks whether CAA records let the certificate authority sign (RFC 8659). */
export const caa: Check = {
  id: 'caa',
  why: 'CAA records say which authorities may issue certificates for the name. The others refuse.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const sets = await setsOf(subject, tools);
    const failed = sets.find((set) => set instanceof DnsLookupError);
    if (failed instanceof DnsLookupError) {
      if (failed.muteZone === null) return unknown('The CAA records could not be read.');
      return fail(`${muteText(failed.muteZone)}.`, MUTE_REMEDY);
    }
    const found = readable(sets);
    const [first] = found;
    if (first === undefined) return pass(`${subject.name} has no CAA records: every authority may issue certificates.`);
    const facts = { [`CAA of ${first.name}`]: first.values };
    const question = await questionOf(tools);
    return { ...(refusalBy(found, subject, question) ?? judgeAllowed(found, question)), facts };
  },
};

/** Returns the finding about CAA records that let the authority sign no certificate; null when none are seen. */
export async function caaRefusal(subject: Subject, tools: Tools): Promise<Finding | null> {
  return refusalBy(readable(await setsOf(subject, tools)), subject, await questionOf(tools));
}

function setsOf(subject: Subject, tools: Tools): Promise<(CaaSet | DnsLookupError)[]> {
  return Promise.all(namesOf(subject).map((name) => tools.caaOf(name).catch(failureOf)));
}

function readable(sets: readonly (CaaSet | DnsLookupError)[]): NonNullable<CaaSet>[] {
  return sets.flatMap((set) => (set instanceof DnsLookupError || set === null ? [] : [set]));
}

function failureOf(error: unknown): DnsLookupError {
  if (error instanceof DnsLookupError) return error;
  throw error;
}

/** For an unknown authority, only records that no authority accepts count. */
const NOBODY: CaaQuestion = { identities: [], isWildcard: false };

async function questionOf(tools: Tools): Promise<CaaQuestion> {
  return (await tools.caaQuestion()) ?? NOBODY;
}

function refusalBy(found: readonly NonNullable<CaaSet>[], subject: Subject, question: CaaQuestion): Finding | null {
  for (const { name, values } of found) {
    const refusal = judgeCaa(values, question);
    if (refusal === null) continue;
    const seen = caaText(refusal, name, question.identities[0] ?? '');
    if (refusal.add === null) return fail(seen, `Remove the CAA record at ${name} that is marked as critical.`);
    return fail(seen, `Add CAA ${refusal.add} at ${name}.`, { repair: recordsRepair(subject) });
  }
  return null;
}

function judgeAllowed(found: readonly NonNullable<CaaSet>[], question: CaaQuestion): Finding {
  const [identity] = question.identities;
  const shown = found.map(({ name, values }) => `${name}: ${values.join(', ')}`).join('; ');
  const strange = found.flatMap(({ values }) => strangeTags(values));
  if (strange.length > 0)
    return warn(
      `No authority knows ${strange.join(', ')} as a tag: ${shown}.`,
      'Use the tag “issue”, “issuewild” or “iodef”.',
    );
  if (found.every(({ values }) => values.every((value) => / iodef /.test(value))))
    return warn(`The CAA records only name a contact: ${shown}.`, 'Add a record that names who may issue.');
  if (identity === undefined) return pass(`CAA records are there: ${shown}.`);
  if (question.accountUrl !== undefined && found.some(({ values }) => namesAccount(values))) {
    const seen = `CAA allows ${identity} to issue certificates only for the account of this Fairlead: ${shown}.`;
    return warn(
      seen,
      'If this Fairlead ever gets another account at the authority, first remove accounturi from the CAA record.',
    );
  }
  return pass(`CAA allows ${identity} to issue certificates: ${shown}.`);
}
