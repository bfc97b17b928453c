import { formatCount } from '../../routers/schemas/format-count.ts';
import { RUNNING_RELEASE_STATES } from '../../routers/schemas/state-names.ts';
import type { AccountContext } from '../context.ts';
import { ApiTokenModel } from '../database/models/account/api-token.ts';
import { ContactMessageModel } from '../database/models/account/contact-message.ts';
import { DisclaimerAcceptanceModel } from '../database/models/account/disclaimer-acceptance.ts';
import { FeedbackModel } from '../database/models/account/feedback.ts';
import { MailedTokenModel } from '../database/models/account/mailed-token.ts';
import { SessionModel } from '../database/models/account/session.ts';
import { UserModel } from '../database/models/account/user.ts';
import { VisitModel } from '../database/models/analytics/visit.ts';
import { VisitDayModel } from '../database/models/analytics/visit-day.ts';
import { VisitHourModel } from '../database/models/analytics/visit-hour.ts';
import { AuthorizationRequestModel } from '../database/models/authorization-request.ts';
import { ConnectionModel } from '../database/models/connection.ts';
import { DiagnosticModel } from '../database/models/diagnostic.ts';
import { CertificateModel } from '../database/models/domains/certificate.ts';
import { ChallengeRecordModel } from '../database/models/domains/challenge-record.ts';
import { DnsChangeModel } from '../database/models/domains/dns-change.ts';
import { DomainModel } from '../database/models/domains/domain.ts';
import { EventModel } from '../database/models/event.ts';
import { IdempotencyKeyModel } from '../database/models/idempotency-key.ts';
import { LicenseModel } from '../database/models/plans/license.ts';
import { PaymentModel } from '../database/models/plans/payment.ts';
import { PaymentCustomerModel } from '../database/models/plans/payment-customer.ts';
import { PaymentEventModel } from '../database/models/plans/payment-event.ts';
import { SubscriptionModel } from '../database/models/plans/subscription.ts';
import { ArtifactModel } from '../database/models/publishing/artifact.ts';
import { DeploymentModel } from '../database/models/publishing/deployment.ts';
import { DeploymentHealthModel } from '../database/models/publishing/deployment-health.ts';
import { ReleaseModel } from '../database/models/publishing/release.ts';
import { UploadModel } from '../database/models/publishing/upload.ts';
import { AppError, JobDeferred } from '../lib/errors.ts';
import { removeDeployment } from '../publishing/deployments/index.ts';
import { cancelRelease } from '../publishing/releases/index.ts';

const LOOK_AGAIN_MS = 2_000;

/** Each removal is a transaction of its own: a pass over thousands would hold up everybody else's calls. */
const REMOVALS_A_PASS = 100;

/**
 * Removes the deployments of a deleted account, some in each pass: it cancels running releases, and removes each
 * deployment by its own job. Throws JobDeferred until none is left.
 */
export async function removeAllDeployments(ctx: AccountContext): Promise<void> {
  const { accountId } = ctx.actor;
  // Those that are being removed are left out: many that a platform refuses would keep the others from their turn.
  const next = await DeploymentModel.find({ accountId, state: { $ne: 'deleting' } }, { state: 1 })
    .limit(REMOVALS_A_PASS)
    .lean();
  for (const { _id: deploymentId, state } of next) {
    if (state === 'deploying') await cancelRunning(ctx, deploymentId);
    await removeDeployment(ctx, { deploymentId }).catch(ignoreConflict);
  }
  const left = await DeploymentModel.countDocuments({ accountId });
  if (left > 0) throw new JobDeferred(`Still being taken down: ${formatCount(left, 'deployment')}.`, LOOK_AGAIN_MS);
}

/**
 * Erases the rest of the account, its user last. Files are collected later. It runs outside the job's transaction,
 * because there may be more rows than one can hold, and a second eraser finds nothing left. Mails and jobs expire.
 */
export async function eraseAccount(accountId: string): Promise<void> {
  const owned = { accountId };
  await SessionModel.deleteMany(owned);
  await ApiTokenModel.deleteMany(owned);
  await ConnectionModel.deleteMany(owned);
  await AuthorizationRequestModel.deleteMany(owned);
  await SubscriptionModel.deleteMany(owned);
  await eraseLicenses(accountId);
  await PaymentModel.deleteMany(owned);
  await PaymentEventModel.deleteMany(owned);
  await PaymentCustomerModel.deleteMany(owned);
  await MailedTokenModel.deleteMany(owned);
  await UploadModel.deleteMany(owned);
  await ArtifactModel.deleteMany(owned);
  await IdempotencyKeyModel.deleteMany(owned);
  await CertificateModel.deleteMany(owned);
  await DomainModel.deleteMany(owned);
  await DnsChangeModel.deleteMany(owned);
  await DiagnosticModel.deleteMany(owned);
  await DeploymentHealthModel.deleteMany(owned);
  await ChallengeRecordModel.deleteMany(owned);
  await EventModel.deleteMany(owned);
  await VisitModel.deleteMany(owned);
  await VisitHourModel.deleteMany(owned);
  await VisitDayModel.deleteMany(owned);
  await FeedbackModel.deleteMany(owned);
  await ContactMessageModel.deleteMany(owned);
  await DisclaimerAcceptanceModel.deleteMany(owned);
  await UserModel.deleteOne({ _id: accountId });
}

/**
 * Erases the account's licenses, and the transfer keys that nobody has redeemed; redeemed ones belong to their new
 * holder.
 */
async function eraseLicenses(accountId: string): Promise<void> {
  const own = await LicenseModel.find({ accountId }, { _id: 1 }).lean();
  const transferOf = { $in: own.map(({ _id }) => _id) };
  await LicenseModel.deleteMany({ transferOf, accountId: null, state: { $in: ['unredeemed', 'revoked'] } }).setOptions({
    acrossAccounts: 'license-key',
  });
  await LicenseModel.deleteMany({ accountId });
}

/**
 * Cancels running releases. A rollback cannot be cancelled and is over in a second; a release that has ended meanwhile
 * is ignored.
 */
async function cancelRunning(ctx: AccountContext, deploymentId: string): Promise<void> {
  const { accountId } = ctx.actor;
  const running = { accountId, deploymentId, state: { $in: RUNNING_RELEASE_STATES } };
  for (const { _id: releaseId } of await ReleaseModel.find(running, { _id: 1 })) {
    await cancelRelease(ctx, { releaseId }).catch(ignoreConflict);
  }
}

/** Another run was faster, or it is not its turn yet: the next check finds out. */
function ignoreConflict(error: unknown): void {
  const isPassing =
    error instanceof AppError && ['conflict', 'deployment_busy', 'not_found', 'state_changed'].includes(error.code);
  if (!isPassing) throw error;
}
