import { lazy, Suspense } from 'react';
import { StageList } from '../components/stage.tsx';
import { FilesStage } from '../features/deployments/files-stage.tsx';
import { useNewDeployment } from '../features/deployments/use-new-deployment.ts';
import { Deploying } from '../layouts/deploying.tsx';
import { useWhenIdle } from '../lib/later.ts';

/** Below the first stage, which is there at once: nothing moves when they come. */
const StagesAfterFiles = lazy(async () => ({
  default: (await import('../features/deployments/pipeline-stages.tsx')).StagesAfterFiles,
}));
const AbsentStages = lazy(async () => ({
  default: (await import('../features/deployments/pipeline-stages.tsx')).AbsentStages,
}));
/** Of no use before something is sent, and here by then. */
const loadFollowed = async () => ({
  default: (await import('../features/releases/followed-pipeline.tsx')).FollowedPipeline,
});
const FollowedPipeline = lazy(loadFollowed);

export function UnifiedDeploymentScreen() {
  const making = useNewDeployment({ namedBy: 'typed' });
  useWhenIdle(loadFollowed);
  return (
    <Deploying
      making={making}
      title="All-in-One Deployment"
      description="Everything between your files and a live site, in the order in which it happens."
      follow={(props) => <FollowedPipeline {...props} absentStages={<AbsentStages />} />}
    >
      <StageList label="Pipeline">
        <FilesStage files={making.files} />
        <Suspense fallback={null}>
          <StagesAfterFiles making={making} />
        </Suspense>
      </StageList>
    </Deploying>
  );
}
