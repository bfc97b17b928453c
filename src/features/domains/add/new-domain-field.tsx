import { useFormContext } from 'react-hook-form';
import { domainsRefusal } from '../../../../routers/schemas/platforms/domains-refusal.ts';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { LocalSitesNotice } from '../local-sites-notice.tsx';
import { DomainNameField, type DomainNameFieldProps } from './domain-name-field.tsx';
import { useDomainNameCheck } from './use-domain-name-check.ts';

/** The domain in the form of a new deployment; '' for none. */
export type NewDomainFields = { domain: string; platform: PlatformId };

export type NewDomainFieldProps = Pick<DomainNameFieldProps, 'label' | 'hint'>;

/** The domain of a deployment that is not made yet; known problems are shown before anything is made. */
export function NewDomainField({ label, hint }: NewDomainFieldProps) {
  const { register, watch, formState } = useFormContext<NewDomainFields>();
  const [domain, platform] = watch(['domain', 'platform']);
  const known = useDomainNameCheck(domain);
  const refusal = domainsRefusal(platform);
  if (refusal !== null) return <p className="text-ink-muted">{refusal}</p>;
  return (
    <>
      <DomainNameField
        {...register('domain')}
        label={label}
        error={formState.errors.domain?.message ?? known?.problem ?? undefined}
        hint={
          known === undefined
            ? hint
            : `${known.name}${known.counterpart === null ? '' : ` with ${known.counterpart}`}: its records are listed once you publish.`
        }
      />
      {domain !== '' && <LocalSitesNotice deployments={[{ platform }]} />}
    </>
  );
}
