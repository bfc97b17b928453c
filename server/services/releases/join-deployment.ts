import type { PipelineStage } from 'mongoose';
import { DeploymentModel, type DeploymentRow } from '../../database/models/deployment.ts';

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
