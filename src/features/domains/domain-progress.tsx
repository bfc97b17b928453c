import { StageList } from '../../components/page/stage.tsx';
import { type DomainStagesOf, useDomainStages } from './domain-stages.tsx';

/** Shows the domain below the steps of a first release; nothing when none was wanted. */
export function DomainProgress(of: DomainStagesOf) {
  const { domain, domainStage, dnsStage, certificateStage } = useDomainStages(of);
  if (domain === null && of.wantedDomain === null) return null;
  return (
    <section aria-labelledby="domain-progress" className="mt-8">
      <h2 id="domain-progress" className="mb-4 text-lg font-semibold">
        Your domain
      </h2>
      <StageList label="Steps of the domain" stages={[domainStage, dnsStage, certificateStage]} />
    </section>
  );
}
