import { type ReactNode, Suspense } from 'react';
import { Link } from 'wouter';
import type { Certificate } from '../../../routers/schemas/certificates.ts';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { domainsRefusal } from '../../../routers/schemas/platforms/domains-refusal.ts';
import type { PlatformId } from '../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import { lostText } from '../../../routers/schemas/state-names.ts';
import { errorMessage } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { HostName } from '../../components/host-name.tsx';
import type { PipelineStage } from '../../components/page/stage.tsx';
import type { Step } from '../../components/page/stepper.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { formatDate } from '../../lib/format.ts';
import { lazyComponent } from '../../lib/lazy-component.tsx';
import { ON_HOLD, waitsForHost } from '../../lib/loopback.ts';
import { href } from '../../lib/paths/paths.ts';
import { writtenName } from '../../lib/written-name.ts';
import type { AddDomainFormProps } from './add/add-domain-form.tsx';
import { counterpartText } from './counterpart-text.ts';
import { recordsSeen } from './domain-badge.tsx';
import { DomainText } from './domain-text.tsx';
import { obstacleOf } from './obstacle.ts';
import type { DomainRecordsProps } from './records/domain-records.tsx';
import { isIssued, useDomain, useDomainCertificate } from './use-domain.ts';

export type DomainStagesOf = {
  deploymentId: string;
  /** A name that was requested with the deployment, and may not have been added. */
  wantedDomain: string | null;
  /** False while no plan is active. */
  mayChange: boolean;
};

export type DomainStages = {
  /** The newest domain of the deployment; null when there is none. */
  domain: Domain | null;
  domainStage: PipelineStage;
  dnsStage: PipelineStage;
  certificateStage: PipelineStage;
  /** Final checks of the domain once all of it exists. */
  checks: readonly Step[];
};

const records = lazyComponent<DomainRecordsProps>(
  async () => (await import('./records/domain-records.tsx')).DomainRecords,
);
const retry = lazyComponent<{ certificateId: string }>(
  async () => (await import('./try-certificate.tsx')).TryCertificate,
);
const missing = lazyComponent<AddDomainFormProps>(async () => (await import('./add/missing-domain.tsx')).MissingDomain);

/** Returns the progress of a deployment's domain, from its name to its certificate, as the server knows it. */
export function useDomainStages({ deploymentId, wantedDomain, mayChange }: DomainStagesOf): DomainStages {
  const deployment = trpc.deployments.get.useQuery({ deploymentId });
  const list = trpc.domains.list.useQuery({ deploymentId, limit: 1 });
  const listed = list.data?.items[0];
  const seen = useDomain(listed?.id);
  const domain = seen.data ?? listed;
  const certificate = useDomainCertificate(domain);
  const platform = deployment.data?.platform ?? 'built-in';

  if (domain === undefined) {
    const domainStage =
      list.data === undefined
        ? unknownStage(list.error, () => void list.refetch())
        : missingStage({ deploymentId, wantedDomain, mayChange, platform });
    return { domain: null, domainStage, ...NOTHING_NEEDED };
  }
  return stagesOfDomain({ domain, certificate, platform, mayChange });
}

export type DomainSeen = {
  domain: Domain;
  certificate: Certificate | null;
  platform: PlatformId;
  mayChange: boolean;
  /** True for a simulated domain: nothing links to it. */
  isSimulated?: boolean;
};

/** Returns the stages of an existing domain. */
export function stagesOfDomain(seen: DomainSeen): DomainStages {
  const { domain, certificate, platform, mayChange, isSimulated = false } = seen;
  const isOnHold = waitsForHost(domain);
  return {
    domain,
    domainStage: claimStage(domain, isSimulated),
    dnsStage: recordStage(domain, mayChange),
    certificateStage: isOnHold ? { ...ORDERED_LATER, state: 'absent' } : certificateStage(seen),
    checks: isOver(domain) || isOnHold ? [] : [visitorStep(domain, certificate, platform, isSimulated)],
  };
}

/** Returns the stages of a site without a custom domain. */
export function stagesWithoutDomain(platform: PlatformId): Omit<DomainStages, 'domain'> {
  const text = domainsRefusal(platform) ?? NO_DOMAIN;
  return { domainStage: { title: 'Domain', state: 'absent', text }, ...NOTHING_NEEDED };
}

const BUTTON_ROOM = <span className="block h-control-sm" />;
const withRoom = (button: ReactNode) => <Suspense fallback={BUTTON_ROOM}>{button}</Suspense>;
const ORDERED_LATER = { title: 'Certificate', text: 'Ordered once the domain points here.' };
const NO_DOMAIN = 'None yet: the site answers at its own address.';
const NOTHING_NEEDED = {
  dnsStage: { title: 'DNS', state: 'absent', text: 'The address of the site needs no records from you.' },
  certificateStage: { title: 'Certificate', state: 'absent', text: 'Only a domain of your own needs one.' },
  checks: [],
} as const satisfies Partial<DomainStages>;

function unknownStage(error: unknown, retry: () => void): PipelineStage {
  // Most have none: the room of that is kept.
  if (error === null)
    return {
      title: 'Domain',
      state: 'waiting',
      text: <span className="invisible">{NO_DOMAIN}</span>,
      body: BUTTON_ROOM,
    };
  return {
    title: 'Domain',
    state: 'open',
    text: `The domain could not be loaded. ${errorMessage(error)}`,
    body: (
      <Button size="sm" onClick={retry}>
        Try again
      </Button>
    ),
  };
}

type Missing = DomainStagesOf & { platform: PlatformId };

function missingStage({ deploymentId, wantedDomain, mayChange, platform }: Missing): PipelineStage {
  const title = 'Domain';
  const refusal = domainsRefusal(platform);
  if (refusal !== null) return { title, state: 'absent', text: refusal };
  const wanted = wantedDomain === null ? {} : { name: wantedDomain };
  const body = mayChange && withRoom(<missing.Component deploymentId={deploymentId} {...wanted} />);
  if (wantedDomain === null) {
    return { title, state: 'absent', text: NO_DOMAIN, body };
  }
  return {
    title,
    state: 'open',
    text: (
      <>
        <Name name={wantedDomain} /> was not added. Your site is published all the same, at its own address.
      </>
    ),
    body,
  };
}

/** Returns whether nothing more happens with it: somebody else has proved it, or it is being removed. */
function isOver({ state, lostTo }: Domain): boolean {
  return state === 'removing' || lostTo !== undefined;
}

function claimStage(domain: Domain, isSimulated: boolean): PipelineStage {
  const { id, state, counterpart, lostTo } = domain;
  const name = writtenName(domain);
  const stage = (stageState: PipelineStage['state'], text: ReactNode): PipelineStage => ({
    title: 'Domain',
    state: stageState,
    text: (
      <>
        {isSimulated ? (
          <Name name={name} />
        ) : (
          <Link to={href.domain(id)} className="rounded-tight text-ink hover:underline">
            <Name name={name} />
          </Link>
        )}
        {counterpart !== null && ` ${counterpartText(domain, counterpart)}`}
        <br />
        {text}
      </>
    ),
  });
  if (lostTo !== undefined) return stage('failed', `${lostText()}.`);
  if (state === 'removing') return stage('cancelled', 'It is being removed.');
  if (state === 'unverified') {
    return waitsForHost(domain)
      ? stage('absent', ON_HOLD)
      : stage('waiting', 'Waiting for proof that it is yours: the TXT record under DNS.');
  }
  return stage('done', 'Proved to be yours.');
}

function recordStage(domain: Domain, mayChange: boolean): PipelineStage {
  const title = 'DNS';
  const { state, problem } = domain;
  if (isOver(domain)) return { title, state: 'waiting' };
  const isOnHold = waitsForHost(domain);
  const text = problem && !isOnHold && (
    <DomainText text={`${problem.message} ${problem.hint ?? ''}`} name={domain.name} />
  );
  const body = (
    <Suspense fallback={<SkeletonRows rows={3} />}>
      <records.Component domain={domain} mayChange={mayChange} />
    </Suspense>
  );
  if (state === 'active') return { title, state: 'done', text: text ?? recordsSeen(domain) };
  if (state === 'misconfigured') return { title, state: 'failed', text, body, isWide: true };
  return {
    title,
    state: isOnHold ? 'absent' : 'open',
    text:
      obstacleOf(domain) === null && !isOnHold ? <>Create these records where your domain is managed. {text}</> : text,
    body,
    isWide: true,
  };
}

function certificateStage({ domain, certificate, platform, mayChange }: DomainSeen): PipelineStage {
  const title = 'Certificate';
  if (isOver(domain)) return { title, state: 'waiting' };
  if (PLATFORMS[platform].isServedHere !== true) return platformCertificateStage(domain, platform);
  if (certificate === null) {
    return domain.state === 'active'
      ? { title, state: 'running', text: 'It is being ordered.' }
      : { ...ORDERED_LATER, state: 'waiting' };
  }
  const { state, issuer, notAfter, isPublic, problem, nextTryAt } = certificate;
  if (isIssued(certificate)) {
    const until = notAfter === null ? '' : `, valid until ${formatDate(notAfter)}`;
    const trust = isPublic ? '' : ' Browsers do not trust it until its root certificate is installed.';
    return { title, state: 'done', text: `Issued${issuer === null ? '' : ` by ${issuer}`}${until}.${trust}` };
  }
  const why = problem !== null && (
    <>
      {problem.message}
      {nextTryAt !== null && (
        <>
          {' '}
          Next try <Time at={nextTryAt} />.
        </>
      )}
    </>
  );
  if (state === 'pending' || state === 'validating')
    return { title, state: 'running', text: why || 'It is being issued.' };
  const text = why || (state === 'revoked' ? 'It was revoked.' : 'It has expired.');
  const body = mayChange && withRoom(<retry.Component certificateId={certificate.id} />);
  return { title, state: 'failed', text, body };
}

function platformCertificateStage(domain: Domain, platform: PlatformId): PipelineStage {
  const title = 'Certificate';
  const said = certificateAtPlatform(domain);
  if (said?.state === 'problem') return { title, state: 'failed', text: said.text };
  if (said?.state !== 'ok') {
    return { title, state: 'absent', text: `${PLATFORMS[platform].title} issues and renews it automatically.` };
  }
  const ends = said.expiresAt === null ? '' : ` It expires on ${formatDate(said.expiresAt)}.`;
  return { title, state: 'done', text: `${said.text}${ends}` };
}

/** Returns the platform's last answer about the certificate: the worse one of two names. */
function certificateAtPlatform({ atPlatform }: Domain) {
  const said = (atPlatform?.answers ?? []).map(({ certificate }) => certificate);
  return said.find(({ state }) => state === 'problem') ?? said.find(({ state }) => state === 'waiting') ?? said[0];
}

function visitorStep(
  domain: Domain,
  certificate: Certificate | null,
  platform: PlatformId,
  isSimulated: boolean,
): Step {
  const { servedName, state, url } = domain;
  const served = writtenName(domain, servedName);
  const isSecured =
    PLATFORMS[platform].isServedHere === true
      ? isIssued(certificate)
      : certificateAtPlatform(domain)?.state !== 'problem';
  if (state !== 'active' || !isSecured) {
    return { key: 'domain', state: 'waiting', title: `Then ${served} serves your site` };
  }
  return {
    key: 'domain',
    state: 'done',
    title: `${served} serves your site`,
    ...(!isSimulated && {
      detail: (
        <a href={url} target="_blank" rel="noreferrer" className="rounded-tight text-accent underline wrap-anywhere">
          Visit {served}
        </a>
      ),
    }),
  };
}

function Name({ name }: { name: string }) {
  return <HostName name={name} fit="wrap" />;
}
