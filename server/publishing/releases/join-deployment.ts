import type { PipelineStage } from 'mongoose';
import { DeploymentModel, type DeploymentRow } from '../../database/models/publishing/deployment.ts';
import { PublicationModel, type PublicationRow } from '../../database/models/publishing/publication.ts';

/** A row with its deployment; without one when that was removed meanwhile. */
export type WithDeployment<Row> = Row & { deployment: DeploymentRow[] };

/** The part of a pipeline that brings the deployment of each row along, in the same round trip. */
export function joinDeployment(accountId: string): PipelineStage.Lookup[] {
  return [
    {
      $lookup: {
        from: DeploymentModel.collection.name,
        localField: 'deploymentId',
        foreignField: '_id',
        pipeline: [{ $match: { accountId } }],
        as: 'deployment',
      },
    },
  ];
}

/** The fields of a publication in lists, without its steps and the state of its work. */
export const SHOWN_IN_LISTS = {
  destinationId: 1,
  platform: 1,
  state: 1,
  error: 1,
  url: 1,
  ownUrl: 1,
  missingLinks: 1,
} as const;
export type ListedPublication = Pick<PublicationRow, '_id' | keyof typeof SHOWN_IN_LISTS>;
export type WithPublications<Row, Publication = ListedPublication> = Row & { publications: Publication[] };

/** Brings the publications of each release along in the same way; `shown` narrows their fields. */
export function joinPublications(accountId: string, shown?: PipelineStage.Project['$project']): PipelineStage.Lookup[] {
  return [
    {
      $lookup: {
        from: PublicationModel.collection.name,
        localField: '_id',
        foreignField: 'releaseId',
        pipeline: [{ $match: { accountId } }, ...(shown === undefined ? [] : [{ $project: shown }])],
        as: 'publications',
      },
    },
  ];
}
