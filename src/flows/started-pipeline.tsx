import { PipelineReport } from '../features/diagnostics/pipeline-report.tsx';
import { useDomainStages } from '../features/domains/domain-stages.tsx';
import { MissingNotice } from '../features/releases/missing-notice.tsx';
import { PipelineProgress } from '../features/releases/progress/pipeline-progress.tsx';
import type { FlowProgressProps } from './deployment-flow.tsx';

/** The pipeline of a started deployment, including its domain and its report. */
export function StartedPipeline({ wantedDomain, ...props }: FlowProgressProps) {
  const { deploymentId, mayChange } = props;
  const domain = useDomainStages({ deploymentId, wantedDomain, mayChange });
  const report = (
    <>
      <MissingNotice deploymentId={deploymentId} mayChange={mayChange} />
      <PipelineReport deploymentId={deploymentId} />
    </>
  );
  return <PipelineProgress {...props} domain={domain} report={report} />;
}
