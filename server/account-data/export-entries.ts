import { FEEDBACK_MAIN_APP, HELD_SLUG_DAYS } from '../../routers/schemas/limits.ts';
import { findSessions } from '../account/auth/sessions.ts';
import { toNotifications } from '../account/user.ts';
import type { Providers } from '../context.ts';
import { rowsOf } from '../database/cursor-rows.ts';
import { ApiTokenModel, toApiToken } from '../database/models/account/api-token.ts';
import { ContactMessageModel } from '../database/models/account/contact-message.ts';
import { FeedbackModel } from '../database/models/account/feedback.ts';
import { toUser, type UserDoc } from '../database/models/account/user.ts';
import { DomainModel } from '../database/models/domains/domain.ts';
import { LicenseModel } from '../database/models/plans/license.ts';
import { PaymentModel, toPayment } from '../database/models/plans/payment.ts';
import { SubscriptionModel, toSubscription } from '../database/models/plans/subscription.ts';
import { type DeploymentDoc, DeploymentModel } from '../database/models/publishing/deployment.ts';
import { PublicationModel } from '../database/models/publishing/publication.ts';
import { ReleaseModel } from '../database/models/publishing/release.ts';
import { RollBackModel } from '../database/models/publishing/roll-back.ts';
import { UploadModel } from '../database/models/publishing/upload.ts';
import { AppError } from '../lib/errors.ts';
import { toLicense } from '../plans/licenses/read.ts';
import { toDeployments } from '../publishing/deployments/read.ts';
import { readManifest } from '../publishing/publication/release-files.ts';
import { toRelease, toSteps } from '../publishing/releases/to-release.ts';
import type { ArchiveEntry } from '../store/zip/archive.ts';
import { visitsOf } from './export-visits.ts';
import { jsonText } from './json-text.ts';

/** The owner of an export; `corrupted` lists the files that the archive has left out so far, by their names there. */
export type ExportSource = { user: UserDoc; at: Date; corrupted: readonly string[] };

const PAGE = 100;
export const EXPORT_README = `This is what Fairlead keeps for your account.

account.json                       who you are here, your settings, plan and payments, the browsers that are logged in,
                                   your API tokens, licenses and domains, the sites that you deleted here and
                                   that are still at their platform, what you wrote to us, and the uploads that
                                   are still on record
deployments/{address}/
  deployment.json                  its name, address and state
  releases.json                    all its releases with the steps and logs at each platform, and
                                   who rolled back when
  visits.json                      how often it was visited: hour by hour (UTC), and most recently minute by minute
  files/                           the files of the release that is live; none where nothing is live

Not in here:
- the files of releases that are not live, which the page of each release has as a ZIP;
- the daily totals of your visits, which the hours add up to;
- whatever could be used to log in (passwords, tokens, emailed links, and their hashes);
- your connections to platforms and DNS providers, whose tokens would open your accounts there to anyone who finds this file;
- your certificates and their keys, and the DNS records that proved your domains to the certificate authority;
- the DNS changes made for your domains;
- your diagnostics and the regular checks of your deployments;
- the emails to you and the events on your screen, which are deleted after 7 days;
- your customer number at the payment service;
- the addresses that you gave up, which are reserved for you for ${HELD_SLUG_DAYS} days;
- what Fairlead notes for its own work, such as jobs, limits, requests that were answered, messages of the payment
  service, and the browser in which you accepted the disclaimer.
`;

/**
 * Yields the entries of an account's export, each read in its turn. Lists without a limit are read a page of rows at a
 * time; the ids of the deployments, the sessions, the API tokens, the licenses and the list of one release's files are
 * held whole.
 */
export async function* exportEntries(
  providers: Providers,
  { user, at, corrupted }: ExportSource,
): AsyncGenerator<ArchiveEntry, void> {
  yield { name: 'README.txt', text: [EXPORT_README] };
  yield { name: 'account.json', text: accountText(providers, user, at) };
  const owned = { accountId: user._id };
  const deployments = await DeploymentModel.find(owned, { _id: 1 })
    .sort({ updatedAt: -1, _id: -1 })
    .hint('account_latest')
    .lean();
  for (const { _id } of deployments) {
    const deployment = await DeploymentModel.findOne({ _id, ...owned });
    if (deployment !== null) yield* deploymentEntries(providers, deployment);
  }
  if (corrupted.length > 0) {
    const names = corrupted.map((name) => `${name}\n`);
    yield {
      name: 'NOT-INCLUDED.txt',
      text: ['Fairlead’s copies of these files are damaged. Publish the files again.\n\n', ...names],
    };
  }
}

async function* accountText({ payments }: Providers, user: UserDoc, at: Date): AsyncGenerator<string, void> {
  const owned = { accountId: user._id };
  const subscription = await SubscriptionModel.findOne(owned);
  const tokens = await ApiTokenModel.find(owned).sort({ createdAt: -1, _id: -1 });
  const licenses = await LicenseModel.find(owned).sort({ redeemedAt: -1, _id: -1 });
  const { deploymentCount: _counted, disclaimerAccepted: _accepted, ...identity } = toUser(user, at);
  yield* jsonText({
    exportedAt: at,
    identity,
    settings: { notifications: toNotifications(user) },
    disclaimer: { version: user.disclaimer?.version ?? 0, acceptedAt: user.disclaimer?.acceptedAt ?? null },
    plan: subscription === null ? null : toSubscription(subscription, at, payments),
    payments: paymentsOf(user._id, at),
    sessions: (await findSessions(user._id, at)).map(({ device, address, createdAt, lastUsedAt, endsAt }) => ({
      device,
      address,
      createdAt,
      lastUsedAt,
      endsAt,
    })),
    apiTokens: tokens.map(toApiToken),
    licenses: licenses.map((license) => toLicense(license, subscription, at)),
    domains: domainsOf(user._id),
    leftSites: user.leftSites.map(({ title, message, url }) => ({ title, message, url: url ?? null })),
    feedback: feedbackOf(user._id),
    contactMessages: ContactMessageModel.find(owned, { _id: 0, __v: 0, accountId: 0 })
      .sort({ at: -1 })
      .lean()
      .cursor({ batchSize: PAGE }),
    uploads: UploadModel.find(owned, {
      _id: 0,
      deploymentId: 1,
      state: 1,
      source: 1,
      fileCount: 1,
      totalBytes: 1,
      createdAt: 1,
      expiresAt: 1,
    })
      .lean()
      .cursor({ batchSize: PAGE }),
  });
}

async function* domainsOf(accountId: string): AsyncGenerator<unknown, void> {
  const rows = DomainModel.find({ accountId }, { records: 0, attached: 0 })
    .sort({ createdAt: -1, _id: -1 })
    .hint('account_newest')
    .lean()
    .cursor({ batchSize: PAGE });
  for await (const { deploymentId, name, counterpart, servedName, state, proof, provedAt, createdAt } of rowsOf(rows)) {
    yield { deploymentId, name, counterpart, servedName, state, proof, provedAt, createdAt };
  }
}

async function* paymentsOf(accountId: string, at: Date): AsyncGenerator<unknown, void> {
  for await (const payment of PaymentModel.find({ accountId }).sort({ createdAt: -1 }).cursor({ batchSize: PAGE })) {
    yield toPayment(payment, at);
  }
}

/** Yields the ratings; a rating of the product names no deployment. */
async function* feedbackOf(accountId: string): AsyncGenerator<unknown, void> {
  const rows = FeedbackModel.find({ accountId }, { _id: 0, __v: 0, accountId: 0 })
    .sort({ at: -1 })
    .lean()
    .cursor({ batchSize: PAGE });
  for await (const { deploymentId, ...rating } of rowsOf(rows)) {
    yield deploymentId === FEEDBACK_MAIN_APP ? rating : { ...rating, deploymentId };
  }
}

async function* deploymentEntries(providers: Providers, deployment: DeploymentDoc): AsyncGenerator<ArchiveEntry, void> {
  const { _id: deploymentId, accountId, slug, currentReleaseId } = deployment;
  const root = `deployments/${slug}`;
  const owned = { accountId, deploymentId };
  const [shown] = await toDeployments(providers.addresses, accountId, [deployment]);
  yield { name: `${root}/deployment.json`, text: jsonText({ ...shown }) };
  yield {
    name: `${root}/releases.json`,
    text: jsonText({
      releases: releasesOf(providers, deployment),
      rollBacks: RollBackModel.find(owned, {
        _id: 0,
        fromNumber: 1,
        toNumber: 1,
        createdBy: 1,
        state: 1,
        createdAt: 1,
        endedAt: 1,
      })
        .sort({ createdAt: -1 })
        .hint('account_deployment_newest')
        .lean()
        .cursor({ batchSize: PAGE }),
    }),
  };
  yield { name: `${root}/visits.json`, text: jsonText({ visits: visitsOf(owned) }) };
  if (typeof currentReleaseId !== 'string') return;
  const release = await ReleaseModel.findOne({ _id: currentReleaseId, accountId }, { manifestHash: 1 });
  if (release !== null) yield* fileEntries(providers, `${root}/files`, release.manifestHash);
}

async function* releasesOf({ addresses }: Providers, deployment: DeploymentDoc): AsyncGenerator<unknown, void> {
  const { accountId, _id: deploymentId } = deployment;
  let last = 0;
  for (;;) {
    const page = await ReleaseModel.find({ accountId, deploymentId, number: { $gt: last } })
      .sort({ number: 1 })
      .hint('account_deployment_newest')
      .limit(PAGE);
    for (const doc of page) {
      const publications = await PublicationModel.find({ accountId, releaseId: doc._id }).lean();
      yield { ...toRelease(addresses, doc, publications, deployment), ...toSteps(publications, deployment) };
      last = doc.number;
    }
    if (page.length < PAGE) return;
  }
}

async function* fileEntries(
  { store }: Providers,
  root: string,
  manifestHash: string,
): AsyncGenerator<ArchiveEntry, void> {
  const manifest = await readManifest(store, manifestHash).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'artifact_corrupted') return null;
    throw error;
  });
  if (manifest === null) {
    yield {
      name: `${root}/NOT-INCLUDED.txt`,
      text: ['Fairlead’s list of these files is damaged. Publish the files again.\n'],
    };
    return;
  }
  for (const [path, { sha256, sizeBytes }] of manifest) yield { name: `${root}/${path}`, sha256, sizeBytes };
}
