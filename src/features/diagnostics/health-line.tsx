import { Check, CircleDashed, CircleX, type LucideIcon, RefreshCw, TriangleAlert } from 'lucide-react';
import { Link } from 'wouter';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { CheckVerdict, DeploymentHealth } from '../../../routers/schemas/diagnostics.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { classNames } from '../../components/class-names.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { Time } from '../../components/time.tsx';
import { freshChecks } from '../../lib/fresh-checks.ts';
import { href } from '../../lib/paths/paths.ts';

/** Names that say nothing of the verdict beside them. */
const NAMES: Record<DeploymentHealth['checks'][number]['id'], string> = {
  resolves: 'DNS resolution',
  certificate: 'SSL certificate',
  'url-up': 'Deployment URL',
};
const looks: Record<CheckVerdict, { icon: LucideIcon; look: string; word: string }> = {
  pass: { icon: Check, look: 'text-good', word: 'pass' },
  warn: { icon: TriangleAlert, look: 'text-warn', word: 'warning' },
  fail: { icon: CircleX, look: 'text-bad', word: 'fail' },
  unknown: { icon: CircleDashed, look: 'text-ink-faint', word: 'no result' },
};

/** Returns the last checks of the deployments on the screen, and whether the first of them are still on their way. */
export function useHealth(deploymentIds: readonly string[]) {
  const ids = [...deploymentIds].sort();
  const health = trpc.diagnostics.health.useQuery(
    { deploymentIds: ids },
    // Those of another set of rows stay until the new ones are there.
    { enabled: ids.length > 0, placeholderData: (before) => before },
  );
  const byId: ReadonlyMap<string, DeploymentHealth> = new Map(
    (health.data?.items ?? []).map((one) => [one.deploymentId, one]),
  );
  return { byId, isLoading: health.isLoading };
}

type HealthLineProps = {
  deployment: Pick<Deployment, 'id' | 'name' | 'currentRelease'>;
  health: DeploymentHealth | undefined;
};

/** Shows the three checks of a deployment in one line, failures below it, and a button to check now. */
export function HealthLine({ deployment, health }: HealthLineProps) {
  const utils = trpc.useUtils();
  const check = trpc.diagnostics.check.useMutation({
    onSuccess: () => void utils.diagnostics.health.invalidate(),
    onError: (error) => showToast(errorToast('The deployment could not be checked', error)),
  });
  const isLive = deployment.currentRelease !== null;
  const checks = freshChecks(deployment.currentRelease, health);
  const isSeen = checks.some(({ id }) => id === 'url-up');
  const wrong = checks.filter(({ verdict }) => verdict === 'warn' || verdict === 'fail');
  return (
    <div className="mt-1 text-sm text-ink-muted">
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 sm:min-h-8">
        {checks.length === 0 ? (
          <span>{isLive ? 'No diagnostics since it went live' : 'Nothing to check yet'}</span>
        ) : (
          <ul aria-label={`Checks of ${deployment.name}`} className="flex flex-wrap gap-x-3 gap-y-1">
            {checks.map(({ id, verdict, seen }) => {
              const { icon: Icon, look, word } = looks[verdict];
              return (
                <li key={id} title={seen} className="inline-flex items-center gap-1">
                  <Icon aria-hidden className={classNames('size-3.5', look)} />
                  {NAMES[id]}
                  <span className="sr-only">: {word}</span>
                </li>
              );
            })}
            {!isSeen && <li>{NAMES['url-up']}: no diagnostics since it went live</li>}
          </ul>
        )}
        <span className="inline-flex items-center gap-x-1">
          {checks.length > 0 && health?.checkedAt && ['tested ', <Time key="at" at={health.checkedAt} />]}
          {isLive && (
            <IconButton
              label={`Check ${deployment.name}`}
              disabled={check.isPending}
              onClick={() => check.mutate({ deploymentId: deployment.id })}
            >
              <RefreshCw className={check.isPending ? 'animate-spin' : undefined} />
            </IconButton>
          )}
        </span>
      </div>
      {wrong.map(({ id, seen }) => (
        <p key={id} className="wrap-anywhere">
          {seen}
        </p>
      ))}
      {wrong.length > 0 && (
        <Link
          to={href.diagnostics(deployment.id)}
          className="-my-0.5 inline-block rounded-tight py-0.5 font-medium text-accent hover:underline touch:my-0 touch:py-3"
        >
          See what to do<span className="sr-only"> about {deployment.name}</span>
        </Link>
      )}
    </div>
  );
}
