import { Check, CircleX, Clock, LoaderCircle, ShieldOff, TriangleAlert } from 'lucide-react';
import type { Certificate } from '../../../routers/schemas/certificates.ts';
import type { CertificateState } from '../../../routers/schemas/state-names.ts';
import { Badge, type BadgeLook } from '../../components/badge.tsx';

const looks: Record<CertificateState, BadgeLook> = {
  pending: { tone: 'unknown', icon: Clock, word: 'Waiting' },
  validating: { tone: 'accent', icon: LoaderCircle, word: 'Being issued', isRunning: true },
  issued: { tone: 'good', icon: Check, word: 'Issued' },
  renewing: { tone: 'accent', icon: LoaderCircle, word: 'Being renewed', isRunning: true },
  failed: { tone: 'bad', icon: CircleX, word: 'Failed' },
  expired: { tone: 'bad', icon: CircleX, word: 'Expired' },
  revoked: { tone: 'unknown', icon: ShieldOff, word: 'Revoked' },
};

export function CertificateBadge({ certificate: { state, problem, uncovered } }: { certificate: Certificate }) {
  if (state === 'issued' && problem !== null) {
    return (
      <Badge tone="warn" icon={TriangleAlert}>
        {uncovered ? 'Some names missing' : 'Renewal failed'}
      </Badge>
    );
  }
  const { tone, icon, word, isRunning } = looks[state];
  return (
    <Badge tone={tone} icon={icon} isRunning={isRunning}>
      {word}
    </Badge>
  );
}
