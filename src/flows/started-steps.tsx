import { PipelineReport } from '../features/diagnostics/pipeline-report.tsx';
import { DomainProgress } from '../features/domains/domain-progress.tsx';
import { MissingNotice } from '../features/releases/missing-notice.tsx';
import { ProgressSteps } from '../features/releases/progress/progress-steps.tsx';
import type { FlowProgressProps } from './deployment-flow.tsx';

/** The steps of a started deployment, and below them its domain and the report. */
export function StartedSteps({ wantedDomain, ...props }: FlowProgressProps) {
  const { deploymentId, mayChange } = props;
  return (
    <>
      <ProgressSteps {...props} />
      <DomainProgress deploymentId={deploymentId} wantedDomain={wantedDomain} mayChange={mayChange} />
      <div className="mt-6 flex flex-col gap-4 empty:hidden">
        <MissingNotice deploymentId={deploymentId} mayChange={mayChange} />
        <PipelineReport deploymentId={deploymentId} />
      </div>
    </>
  );
}
