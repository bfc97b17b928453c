import { BASIC_CHECKS, CHECK_IDS, type CheckId } from '../../../routers/schemas/diagnostics.ts';
import type { Check, Subject } from './check.ts';
import { caSide } from './dns/ca-side.ts';
import { caa } from './dns/caa.ts';
import { challengeRecord } from './dns/challenge-record.ts';
import { dangling } from './dns/dangling.ts';
import { delegation } from './dns/delegation.ts';
import { dnssec } from './dns/dnssec.ts';
import { emailUntouched } from './dns/email-untouched.ts';
import { ownership } from './dns/ownership.ts';
import { reservedAddress } from './dns/reserved-address.ts';
import { resolves } from './dns/resolves.ts';
import { ttl } from './dns/ttl.ts';
import { certificate } from './served/certificate.ts';
import { hsts } from './served/hsts.ts';
import { httpsForced } from './served/https-forced.ts';
import { ipv6 } from './served/ipv6.ts';
import { mixedContent } from './served/mixed-content.ts';
import { port80 } from './served/port-80.ts';
import { protocol } from './served/protocol.ts';
import { proxied } from './served/proxied.ts';
import { redirects } from './served/redirects.ts';
import { replyTime } from './served/reply-time.ts';
import { urlUp } from './served/url-up.ts';
import { wwwAndApex } from './served/www-and-apex.ts';

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
