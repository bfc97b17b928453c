import { FlaskConical } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import type { SimulatedScene } from '../../routers/schemas/simulation.ts';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { Card, CardBody, CardHeader } from '../components/card.tsx';
import { ReportView } from '../features/diagnostics/report-view.tsx';
import { stagesOfDomain, stagesWithoutDomain } from '../features/domains/domain-stages.tsx';
import { HandOffAddress, HandOffCard, HandOffSteps } from '../features/releases/progress/hand-off-parts.tsx';
import { Pipeline } from '../features/releases/progress/pipeline-progress.tsx';
import { AddressPanel, FailedPanel } from '../features/releases/progress/release-panels.tsx';
import { useProgressSteps } from '../features/releases/progress/use-deployment-progress.ts';
import { ReleaseAddress } from '../features/releases/release-address.tsx';
import { SimulationForm } from '../features/simulation/simulation-form.tsx';
import {
  type SimulatedFiles,
  type SimulationChoice,
  useScene,
  useSimulation,
} from '../features/simulation/use-simulation.ts';
import { primaryOf } from '../lib/primary-destination.ts';

export type SimulationProps = {
  files: SimulatedFiles | null;
  /** The introduction in the card that asks. */
  intro: ReactNode;
};

/** Plays a deployment with a chosen failure, and shows it on the real screens. */
export function Simulation({ files, intro }: SimulationProps) {
  const simulation = useSimulation(files);
  const { run, play } = simulation;
  return (
    <>
      <Card className="max-w-reading">
        <CardHeader title="Simulation" action={<SimulatedBadge />} />
        <CardBody>{intro}</CardBody>
        <SimulationForm simulation={simulation} />
      </Card>
      {run.data !== undefined && (
        <SimulatedDeployment
          key={run.submittedAt}
          scenes={run.data.scenes}
          target={run.variables}
          onMend={() => play(null)}
        />
      )}
    </>
  );
}

function SimulatedBadge() {
  return (
    <Badge tone="accent" icon={FlaskConical}>
      Simulated
    </Badge>
  );
}

type SimulatedDeploymentProps = {
  scenes: readonly SimulatedScene[];
  target: Pick<SimulationChoice, 'platform' | 'withDomain'>;
  onMend: () => void;
};

function SimulatedDeployment({ scenes, target, onMend }: SimulatedDeploymentProps) {
  const { scene, isOver, isHeld, goOn, skip } = useScene(scenes);
  const section = useRef<HTMLElement>(null);
  // The simulation begins below the form, often out of sight.
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'start' });
  }, []);
  if (scene === undefined) return null;
  return (
    <section
      ref={section}
      aria-label="Simulated deployment"
      className="scroll-mt-4 rounded-card border border-dashed border-accent px-3 max-lg:scroll-mt-18 pb-5 sm:px-5"
    >
      {/* In sight as long as any of it is. */}
      <div className="sticky top-0 z-10 -mx-3 mb-5 flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 rounded-t-card bg-surface px-3 py-2 sm:-mx-5 sm:px-5 max-lg:top-14">
        <SimulatedBadge />
        <p className="grow text-sm text-ink-muted">None of this exists.</p>
        {!isOver && !isHeld && (
          <Button size="sm" onClick={skip}>
            Skip to the end
          </Button>
        )}
      </div>
      <Scene scene={scene} target={target} onMend={onMend} onGoOn={goOn} />
    </section>
  );
}

function Scene({
  scene: { release, domain, certificate, handOff, report },
  target: { platform },
  onMend,
  onGoOn,
}: Omit<SimulatedDeploymentProps, 'scenes'> & { scene: SimulatedScene; onGoOn: () => void }) {
  const { title, isServedHere } = PLATFORMS[platform];
  const placeTitle = isServedHere === true ? title : `Simulated ${title}`;
  const progress = { stage: 'release', release } as const;
  const rows = useProgressSteps(progress);
  const stages =
    domain === null
      ? stagesWithoutDomain(platform)
      : stagesOfDomain({ domain, certificate, platform, mayChange: false, isSimulated: true });
  return (
    <Pipeline
      head={
        <div aria-live="polite">
          {release.state === 'live' && <AddressPanel {...release} />}
          {release.state !== 'live' && (
            <div className="mb-5">
              <h2 className="text-lg font-semibold">{release.deploymentName}</h2>
              <ReleaseAddress url={release.url} />
            </div>
          )}
          {handOff !== null && (
            <HandOffCard number={release.number} title={placeTitle} className="mb-6">
              <HandOffSteps steps={handOff.steps} title={placeTitle} />
              <HandOffAddress
                title={placeTitle}
                url={release.url}
                error={primaryOf(release)?.error?.message}
                onCheck={onGoOn}
              />
            </HandOffCard>
          )}
          {release.state === 'failed' && (
            <FailedPanel
              release={release}
              action={
                <Button variant="primary" onClick={onMend}>
                  Try again
                </Button>
              }
            />
          )}
        </div>
      }
      progress={progress}
      rows={rows}
      platform={placeTitle}
      domain={stages}
      report={report && <ReportView report={report} />}
    />
  );
}
