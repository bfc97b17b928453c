import type { Repair } from '../../../../routers/schemas/diagnostics.ts';
import { DAY_MS } from '../../../lib/durations.ts';
import type { Handshake, HandshakeFault, SeenCertificate } from '../../../lib/egress/reach.ts';
import {
  type Check,
  type Finding,
  fail,
  pass,
  type ServerAddress,
  type Subject,
  type Tools,
  unknown,
  warn,
} from '../check.ts';
import { caaRefusal } from '../dns/caa.ts';

const LATE_MS = DAY_MS;
const LAST_MS = DAY_MS;
/** Automatic renewal happens with a month left, however long the lifetime is. */
const RENEWED_BEFORE_MS = 30 * DAY_MS;
const RSA_BITS_MIN = 2_048;
const RENEW = 'Renew now.';

const ERRORS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that browsers do not know',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes without the intermediate certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority that browsers do not know',
  CERT_REVOKED: 'is revoked',
};

/** The last is also that of a certificate signed by the root itself, without one between. */
const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Checks whether each address shows a certificate that browsers accept, for long enough. */
export const certificate: Check = {
  id: 'certificate',
  why: 'Without a certificate that is valid for the name, browsers show a warning instead of the site.',
  applies: ({ hasTls }) => hasTls,
  async run(subject, tools) {
    const { name } = subject;
    const servers = await tools.serversOf(name);
    const seen = await Promise.all(
      servers.map(async (server) => ({ server, shown: await tools.handshake(name, server) })),
    );
    const findings = seen.map(({ server, shown }) => judge(subject, server, shown, tools.now()));
    const [first] = ['fail', 'warn', 'pass', 'unknown'].flatMap((verdict) =>
      findings.filter((finding) => finding.verdict === verdict),
    );
    const secured = seen.find(({ shown }) => shown.kind === 'secured')?.shown;
    const facts = secured?.kind === 'secured' ? factsOf(name, secured.certificate) : {};
    if (first === undefined) return unknown(`${name} has no address to check.`);
    return { ...(await withCaaFirst(first, subject, tools)), facts };
  },
};

/** Puts CAA records first that forbid the renewal: it would be refused. */
async function withCaaFirst(finding: Finding, subject: Subject, tools: Tools): Promise<Finding> {
  if (finding.fix !== RENEW) return finding;
  const refusal = await caaRefusal(subject, tools);
  if (refusal === null) return finding;
  return { ...finding, fix: `${refusal.seen} ${refusal.fix}`, repair: refusal.repair ?? null };
}

const factsOf = (name: string, { issuer, serial, notAfter }: SeenCertificate) => ({
  [`Certificate of ${name}`]: [`${issuer}, ${serial}, until ${notAfter.toISOString().slice(0, 10)}`],
});

function judge(subject: Subject, { address, isOwn }: ServerAddress, shown: Handshake, now: Date): Finding {
  const { own, name } = subject;
  const repair: Repair | null = own?.certificateId ? { kind: 'certificate', certificateId: own.certificateId } : null;
  const fix = repair === null ? `Have the host at ${address} renew its certificate.` : RENEW;
  if (shown.kind !== 'secured') return unsecured(name, address, shown, { fix, repair });
  const { certificate: seen } = shown;
  const until = `${seen.issuer}, until ${seen.notAfter.toISOString().slice(0, 10)}`;
  if (seen.error === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const others = seen.names.join(', ') || 'nobody';
    const other = isOwn ? fix : `Another host answers at ${address}: remove that address, or set ${name} up there.`;
    return fail(`The certificate at ${address} is for ${others}, and not for ${name}.`, other, { repair });
  }
  const isPrivate = UNKNOWN_AUTHORITY.has(seen.error ?? '') && seen.serial === own?.privateSerial;
  if (seen.error !== null && !isPrivate) {
    const what = ERRORS[seen.error] ?? `is refused (${seen.error})`;
    const help = seen.error === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' ? 'Serve the intermediate certificate as well.' : fix;
    return fail(`The certificate of ${name} at ${address} ${what} (${until}).`, help, { repair });
  }
  if (seen.rsaBits !== null && seen.rsaBits < RSA_BITS_MIN) {
    return fail(`The key of the certificate has only ${seen.rsaBits} bits.`, fix, { repair });
  }
  return judgeTime(subject, seen, { now, until, fix, repair });
}

function unsecured(
  name: string,
  address: string,
  { kind }: HandshakeFault,
  { fix, repair }: { fix: string; repair: Repair | null },
): Finding {
  if (kind === 'no_route') return unknown(`${address} cannot be reached from here.`);
  if (kind === 'silent') return fail(`${address} does not answer on the https port.`, openPort(address));
  if (kind === 'refused') return fail(`${address} refuses connections on the https port.`, openPort(address));
  return fail(`${address} accepts connections but has no certificate for ${name}.`, fix, { repair });
}

type Advice = { now: Date; until: string; fix: string; repair: Repair | null };

function judgeTime({ name, own }: Subject, seen: SeenCertificate, { now, until, fix, repair }: Advice): Finding {
  const wholeMs = seen.notAfter.getTime() - seen.notBefore.getTime();
  const leftMs = seen.notAfter.getTime() - now.getTime();
  const third = wholeMs / 3;
  if (leftMs < Math.min(Math.max(wholeMs / 20, LAST_MS), third)) {
    return fail(`The certificate of ${name} expires very soon (${until}).`, fix, { repair });
  }
  const dueAt = own?.renewAt?.getTime() ?? seen.notAfter.getTime() - Math.min(third, RENEWED_BEFORE_MS);
  if (now.getTime() > dueAt + LATE_MS && leftMs < third) {
    return warn(`The certificate of ${name} should have been renewed by now (${until}).`, fix, { repair });
  }
  return pass(`The certificate of ${name} is valid (${until}).`);
}

const openPort = (address: string): string => `Open port 443 of ${address}, or remove that address.`;
