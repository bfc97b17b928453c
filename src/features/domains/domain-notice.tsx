import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { lostText } from '../../../routers/schemas/state-names.ts';
import { Button } from '../../components/button.tsx';
import { HostName } from '../../components/host-name.tsx';
import { Notice } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { href } from '../../lib/paths/paths.ts';
import { writtenName } from '../../lib/written-name.ts';
import { DomainText } from './domain-text.tsx';
import { obstacleOf } from './obstacle.ts';

export type DomainNoticeProps = {
  domain: Domain;
  /** The remedy. */
  action?: ReactNode;
};

/** Shows in one place the obstacle, or the deadline of an unproved claim. */
export function DomainNotice({ domain, action }: DomainNoticeProps) {
  const { state, lostTo, problem } = domain;
  if (lostTo !== undefined) {
    return (
      <Notice tone="bad" title={lostText()}>
        If the domain is yours, replace the other account’s TXT record with the one below.
      </Notice>
    );
  }
  if (problem !== null) {
    return (
      <>
        <Notice
          tone={state === 'misconfigured' ? 'bad' : 'warn'}
          title={<DomainText text={problem.message} name={domain.name} />}
          action={problem.code === 'certificate_replaced' ? <WhoAnswers domain={domain} /> : action}
        >
          <DomainText text={problem.hint ?? ''} name={domain.name} /> Noticed <Time at={problem.since} />.
        </Notice>
        {state === 'unverified' && obstacleOf(domain) === null && <ProofNotice domain={domain} />}
      </>
    );
  }
  if (state === 'misconfigured') {
    return (
      <Notice tone="bad" title={`${writtenName(domain)} no longer points to your deployment`} action={action}>
        Set the records as they are shown.
      </Notice>
    );
  }
  return state === 'unverified' ? <ProofNotice domain={domain} /> : null;
}

function ProofNotice({ domain: { proof, expiresAt } }: { domain: Domain }) {
  return (
    <Notice tone="quiet" title="Prove that the domain is yours">
      Create the TXT record <HostName name={proof.name} fit="wrap" />; the other records can be set at the same time.
      Fairlead notices it automatically.
      {expiresAt !== null && (
        <>
          {' '}
          Without it, the domain is removed <Time at={expiresAt} />.
        </>
      )}
    </Notice>
  );
}

/** Links to the diagnosis of who answers, for a problem that no record solves. */
function WhoAnswers({ domain: { deploymentId } }: { domain: Domain }) {
  return (
    <Button asChild>
      <Link to={href.diagnostics(deploymentId)}>See which server answers</Link>
    </Button>
  );
}
