import { Check, CircleAlert, Clock, LoaderCircle, TriangleAlert } from 'lucide-react';
import type { Domain } from '../../../routers/schemas/domains.ts';
import type { DomainState } from '../../../routers/schemas/state-names.ts';
import { Badge, type BadgeLook } from '../../components/badge.tsx';
import { waitsForHost } from '../../lib/loopback.ts';

const looks: Record<DomainState, BadgeLook> = {
  unverified: { tone: 'warn', icon: Clock, word: 'Waiting for proof' },
  pending_dns: { tone: 'warn', icon: Clock, word: 'Waiting for DNS' },
  active: { tone: 'good', icon: Check, word: 'Active' },
  misconfigured: { tone: 'bad', icon: CircleAlert, word: 'Needs attention' },
  removing: { tone: 'unknown', icon: LoaderCircle, word: 'Removing', isRunning: true },
};

/** Records that lead here only, where nobody else can reach them. */
const local: BadgeLook = { tone: 'unknown', icon: Clock, word: 'Not public' };

/** The domain works, and its page names a problem. */
const doubtful: BadgeLook = { tone: 'warn', icon: TriangleAlert, word: 'Has a warning' };

export function DomainBadge({ domain }: { domain: Pick<Domain, 'state' | 'problem' | 'records' | 'lostTo'> }) {
  if (domain.lostTo !== undefined) {
    return (
      <Badge tone="bad" icon={CircleAlert}>
        Another owner
      </Badge>
    );
  }
  const { tone, icon, word, isRunning } = lookOf(domain);
  return (
    <Badge tone={tone} icon={icon} isRunning={isRunning}>
      {word}
    </Badge>
  );
}

function lookOf(domain: Pick<Domain, 'state' | 'problem' | 'records' | 'lostTo'>): BadgeLook {
  if (waitsForHost(domain)) return local;
  return domain.state === 'active' && domain.problem !== null ? doubtful : looks[domain.state];
}

/** Returns the progress of the required records: "1 of 2 records seen". Optional ones are not counted. */
export function recordsSeen(domain: Pick<Domain, 'records'>): string {
  const records = domain.records.filter(({ purpose }) => purpose !== 'certificate');
  const seen = records.filter(({ state }) => state === 'ok').length;
  return `${seen} of ${records.length} ${records.length === 1 ? 'record' : 'records'} seen`;
}
