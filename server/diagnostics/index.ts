import { BASIC_CHECKS, CHECK_IDS, type CheckId } from '../../routers/schemas/diagnostics.ts';
import { caSide } from './ca-side.ts';
import { caa } from './caa.ts';
import { certificate } from './certificate.ts';
import { challengeRecord } from './challenge-record.ts';
import type { Check, Subject } from './check.ts';
import { dangling } from './dangling.ts';
import { delegation } from './delegation.ts';
import { dnssec } from './dnssec.ts';
import { emailUntouched } from './email-untouched.ts';
import { hsts } from './hsts.ts';
import { httpsForced } from './https-forced.ts';
import { ipv6 } from './ipv6.ts';
import { mixedContent } from './mixed-content.ts';
import { ownership } from './ownership.ts';
import { port80 } from './port-80.ts';
import { protocol } from './protocol.ts';
import { proxied } from './proxied.ts';
import { redirects } from './redirects.ts';
import { replyTime } from './reply-time.ts';
import { reservedAddress } from './reserved-address.ts';
import { resolves } from './resolves.ts';
import { ttl } from './ttl.ts';
import { urlUp } from './url-up.ts';
import { wwwAndApex } from './www-and-apex.ts';

const CHECKS: Record<CheckId, Check> = {
  delegation,
  dnssec,
  dangling,
  'reserved-address': reservedAddress,
  resolves,
  ownership,
  ttl,
  'port-80': port80,
  ipv6,
  proxied,
  certificate,
  'url-up': urlUp,
  protocol,
  redirects,
  'https-forced': httpsForced,
  hsts,
  'www-and-apex': wwwAndApex,
  'mixed-content': mixedContent,
  caa,
  'challenge-record': challengeRecord,
  'ca-side': caSide,
  'reply-time': replyTime,
  'email-untouched': emailUntouched,
};

/** Returns the checks of a subject in the order of causes; without a plan for more, the three that every plan has. */
export function checksFor(subject: Subject, { isWhole }: { isWhole: boolean }): readonly Check[] {
  const ids = isWhole ? CHECK_IDS : BASIC_CHECKS;
  return ids.map((id) => CHECKS[id]).filter(({ applies }) => applies === undefined || applies(subject));
}
