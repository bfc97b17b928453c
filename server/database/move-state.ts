import mongoose, { type ClientSession } from 'mongoose';
import type {
  CertificateState,
  DeploymentState,
  DomainState,
  ReleaseState,
} from '../../routers/schemas/state-names.ts';
import {
  CERTIFICATE_MOVES,
  DEPLOYMENT_MOVES,
  DOMAIN_MOVES,
  mayMove,
  RELEASE_MOVES,
} from '../../routers/schemas/states.ts';
import { type CertificateDoc, CertificateModel } from './models/domains/certificate.ts';
import { type DomainDoc, DomainModel } from './models/domains/domain.ts';
import { type DeploymentDoc, DeploymentModel } from './models/publishing/deployment.ts';
import { type ReleaseDoc, ReleaseModel } from './models/publishing/release.ts';

type Fields = Record<string, unknown>;

export type Move<State extends string> = {
  id: string;
  accountId: string;
  from: readonly State[];
  to: State;
  set?: Fields;
  inc?: Record<string, number>;
  /** Conditions besides the state. */
  when?: Fields;
};

/**
 * Changes the state of a release, in the only way there is: an update that holds only while it is in one of `from`.
 * Returns null when another writer was faster, and writes nothing. A move that the table of states does not allow is a
 * defect and throws. The caller publishes the event in the same transaction.
 */
export async function moveRelease(session: ClientSession, move: Move<ReleaseState>): Promise<ReleaseDoc | null> {
  requireMoves(RELEASE_MOVES, move);
  return ReleaseModel.findOneAndUpdate(filterOf(move), updateOf(move), { session, returnDocument: 'after' });
}

/** Works like `moveRelease`, for a deployment. */
export async function moveDeployment(
  session: ClientSession,
  move: Move<DeploymentState>,
): Promise<DeploymentDoc | null> {
  requireMoves(DEPLOYMENT_MOVES, move);
  return DeploymentModel.findOneAndUpdate(filterOf(move), updateOf(move), { session, returnDocument: 'after' });
}

/** Works like `moveRelease`, for a domain. */
export async function moveDomain(session: ClientSession, move: Move<DomainState>): Promise<DomainDoc | null> {
  requireMoves(DOMAIN_MOVES, move);
  const moved = await DomainModel.findOneAndUpdate(filterOf(move), updateOf(dated(move)), {
    session,
    returnDocument: 'after',
  });
  if (moved !== null) await bringForward(session, moved);
  return moved;
}

/** Puts a deployment first in its owner's list, after an event that is stored elsewhere. */
export async function bringForward(
  session: ClientSession,
  { accountId, deploymentId }: { accountId: string; deploymentId: string },
): Promise<void> {
  await DeploymentModel.updateOne({ _id: deploymentId, accountId }, { $set: { updatedAt: new Date() } }, { session });
}

/** Works like `moveRelease`, for a certificate. */
export async function moveCertificate(
  session: ClientSession,
  move: Move<CertificateState>,
): Promise<CertificateDoc | null> {
  requireMoves(CERTIFICATE_MOVES, move);
  return CertificateModel.findOneAndUpdate(filterOf(move), updateOf(dated(move)), { session, returnDocument: 'after' });
}

function requireMoves<State extends string>(moves: Record<State, readonly State[]>, move: Move<State>): void {
  const wrong = move.from.find((from) => !mayMove(moves, from, move.to));
  if (wrong !== undefined) throw new Error(`No table allows a move from ${wrong} to ${move.to}.`);
}

function filterOf(move: Move<string>): Fields {
  return { ...move.when, _id: move.id, accountId: move.accountId, state: { $in: [...move.from] } };
}

/** A look at a domain or a certificate changes `updatedAt` as well, and is nothing that lists are sorted by. */
function dated<State extends string>(move: Move<State>): Move<State> {
  return { ...move, set: { ...move.set, changedAt: mongoose.now() } };
}

function updateOf(move: Move<string>): Fields {
  return { $set: { ...move.set, state: move.to }, ...(move.inc !== undefined && { $inc: move.inc }) };
}
