import { isActiveStatus } from '../../../../../routers/schemas/active-status.ts';
import { CONNECTION_TITLES } from '../../../../../routers/schemas/connection-titles.ts';
import type { Connection } from '../../../../../routers/schemas/connections.ts';
import type { Deployment } from '../../../../../routers/schemas/deployments.ts';
import type { DeploymentHealth } from '../../../../../routers/schemas/diagnostics.ts';
import { formatCount } from '../../../../../routers/schemas/format-count.ts';
import { PLANS } from '../../../../../routers/schemas/plan-table.ts';
import { PLATFORMS } from '../../../../../routers/schemas/platforms/list.ts';
import type { Subscription } from '../../../../../routers/schemas/subscription.ts';
import { deploymentLabel } from '../../../../lib/deployment-label.ts';
import { formatDate } from '../../../../lib/format.ts';
import { freshChecks } from '../../../../lib/fresh-checks.ts';
import { connectionLinks } from '../../../../lib/paths/connection-links.ts';
import { href, paths } from '../../../../lib/paths/paths.ts';
import { othersOf } from '../../../../lib/primary-destination.ts';
import { waitingNumber, waitingPlatform } from '../../../../lib/waiting.ts';

/** One thing that waits for the person, with the link to its remedy. */
export type AttentionItem = {
  key: string;
  /** The domain with which the title begins. */
  name?: string | undefined;
  kind: 'warning' | 'waiting' | 'corrupted' | 'stopped' | 'failed';
  title: string;
  text: string;
  action: { to: string; label: string };
};

/** Returns the connections whose credentials are no longer accepted. */
export function stoppedConnectionItems(connections: readonly Connection[]): AttentionItem[] {
  return connections
    .filter(({ state }) => state === 'broken')
    .map((connection) => ({
      key: connection.id,
      kind: 'stopped',
      title: `${CONNECTION_TITLES[connection.provider]} · ${connection.identity} stopped working`,
      text: stoppedText(connection),
      action: {
        to: connectionLinks.replaceToken(connection.id),
        label: connection.kind === 'dns' ? 'Replace credentials' : 'Replace token',
      },
    }));
}

function stoppedText({ kind, problem, deployments }: Connection): string {
  if (kind === 'dns') {
    return `${problem?.message ?? 'The DNS provider no longer accepts these credentials.'} Your domains stay as they are, but Fairlead cannot write their records until you replace the credentials.`;
  }
  const why = problem?.message ?? 'The platform rejects its token.';
  if (deployments.length === 0) return `${why} No deployment uses it.`;
  const named = deployments.length === 1 ? deployments[0]?.name : formatCount(deployments.length, 'deployment');
  return `${why} What is live stays live, but ${named} cannot be changed until the token is replaced.`;
}

const WEEK_MS = 7 * 86_400_000;

/** Reports that the plan ends within a week, or becomes a smaller one; nothing for one that renews. */
export function endingItems(subscription: Subscription | null, now: Date): AttentionItem[] {
  if (subscription === null || !isActiveStatus(subscription.status)) return [];
  const { plan, status, endsAt, renews, cancelAtEnd, nextPlan } = subscription;
  const goesOn = renews && !cancelAtEnd && (nextPlan === null || nextPlan === plan);
  if (goesOn || endsAt.getTime() - now.getTime() > WEEK_MS || endsAt <= now) return [];
  const { title } = PLANS[plan];
  const named = status === 'trialing' ? `Your trial of ${title}` : `Your ${title} plan`;
  const isSmaller = renews && !cancelAtEnd && nextPlan !== null;
  return [
    {
      key: 'ending',
      kind: 'warning',
      title: `${named} ${isSmaller ? `becomes ${PLANS[nextPlan].title}` : 'ends'} on ${formatDate(endsAt)}`,
      text: isSmaller
        ? 'Deployments beyond its limit stay live and become read-only.'
        : 'What you published stays live and becomes read-only until a plan is active again.',
      action: { to: paths.subscriptionPricing, label: 'See the plans' },
    },
  ];
}

/** Returns the live releases with unreadable files. */
export function corruptedItems(deployments: readonly Deployment[]): AttentionItem[] {
  return deployments.flatMap((deployment) => {
    const { id, state, currentRelease } = deployment;
    if (currentRelease === null || currentRelease.corruptedFileCount === 0 || state === 'deleting') return [];
    const { number, corruptedFileCount: files } = currentRelease;
    return [
      {
        key: `corrupted ${id}`,
        kind: 'corrupted' as const,
        title: `Files of ${deploymentLabel(deployment)} are damaged`,
        text: `${formatCount(files, 'file')} of release ${number} can no longer be read and ${files === 1 ? 'is' : 'are'} not served.`,
        action: { to: href.release(id, number), label: 'See what to do' },
      },
    ];
  });
}

/** Returns the deployments whose connection was removed; a refused connection has an item of its own. */
export function lostConnectionItems(deployments: readonly Deployment[]): AttentionItem[] {
  return deployments.flatMap((deployment) => {
    const { id, lostConnections, currentRelease } = deployment;
    const lost = lostConnections.find(({ connectionId }) => connectionId === null);
    if (lost === undefined) return [];
    const title = PLATFORMS[lost.provider].title;
    return [
      {
        key: `lost ${id}`,
        kind: 'stopped' as const,
        title: `${deploymentLabel(deployment)} is no longer connected to ${title}`,
        text: `${currentRelease === null ? 'Nothing' : 'What is live stays live, but nothing new'} can be published until ${title} is connected again.`,
        action: { to: connectionLinks.connect(lost.provider), label: `Connect ${title}` },
      },
    ];
  });
}

/** Returns the deletions that a platform refuses. */
export function refusedItems(deployments: readonly Deployment[]): AttentionItem[] {
  return deployments.flatMap((deployment) => {
    const { id, state, destinations } = deployment;
    const refusing = state === 'deleting' ? destinations.find(({ error }) => error !== null) : undefined;
    if (refusing === undefined) return [];
    return [
      {
        key: `refused ${id}`,
        kind: 'failed' as const,
        title: `${deploymentLabel(deployment)} is not deleted yet`,
        text: `It is still at ${PLATFORMS[refusing.platform].title}. ${refusing.error?.message}`,
        action: { to: href.deployment(id), label: 'See what to do' },
      },
    ];
  });
}

/** Returns the releases that wait for a person to finish them at a platform. */
export function waitingItems(deployments: readonly Deployment[]): AttentionItem[] {
  return deployments.flatMap((deployment) => {
    const number = waitingNumber(deployment);
    const waiting = waitingPlatform(deployment);
    if (number === null || waiting === undefined) return [];
    const { title } = PLATFORMS[waiting.platform];
    return [
      {
        key: `waiting ${deployment.id}`,
        kind: 'waiting' as const,
        title: `Release ${number} of ${deploymentLabel(deployment)} waits for you`,
        text: waiting.error?.message ?? `Publish its files at ${title}, then enter the address.`,
        action: { to: href.release(deployment.id, number), label: `Finish at ${title}` },
      },
    ];
  });
}

/** Returns the newest releases that have failed. */
export function failedItems(deployments: readonly Deployment[]): AttentionItem[] {
  return deployments.flatMap((deployment) => {
    const { id, state, latestRelease, currentRelease } = deployment;
    if (latestRelease?.state !== 'failed' || state === 'deleting') return [];
    const live = currentRelease ? `Release ${currentRelease.number} is still live.` : 'Nothing was live before.';
    return [
      {
        key: `failed ${id}`,
        kind: 'failed' as const,
        title: `Release ${latestRelease.number} of ${deploymentLabel(deployment)} failed`,
        text: `${latestRelease.errorMessage ?? ''} ${live}`,
        action: { to: href.release(id, latestRelease.number), label: 'See what happened' },
      },
    ];
  });
}

/** Returns the further platforms at which the live release could not be published. */
export function failedPlatformItems(deployments: readonly Deployment[]): AttentionItem[] {
  return deployments.flatMap((deployment) =>
    othersOf(deployment).flatMap((one) => {
      const { id, state } = deployment;
      if (one.state !== 'failed' || state === 'deleting') return [];
      const { title } = PLATFORMS[one.platform];
      return [
        {
          key: `failed ${id} ${one.id}`,
          kind: 'failed' as const,
          title: `${deploymentLabel(deployment)} failed at ${title}`,
          text: one.error?.message ?? 'It failed without giving a reason.',
          action: { to: href.deployment(id), label: 'See what to do' },
        },
      ];
    }),
  );
}

/** Returns the deployments with a failed check in the last round; the first failure should be repaired first. */
export function healthItems(
  deployments: readonly Deployment[],
  health: ReadonlyMap<string, DeploymentHealth>,
): AttentionItem[] {
  return deployments.flatMap((deployment) => {
    const { id, state, currentRelease } = deployment;
    const failed = freshChecks(currentRelease, health.get(id)).find(({ verdict }) => verdict === 'fail');
    if (failed === undefined || state === 'deleting') return [];
    return [
      {
        key: `health ${id}`,
        kind: 'failed' as const,
        title: `${deploymentLabel(deployment)} failed its last check`,
        text: failed.seen,
        action: { to: href.diagnostics(id), label: 'See what to do' },
      },
    ];
  });
}
