import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { AddressHint, useNewName } from './name-field.tsx';
import { useNewDeploymentFields } from './new-deployment-form.tsx';

/** Says above a button that is in sight before the name is that the deployment gets another address than its name. */
export function OtherAddress() {
  const { watch } = useNewDeploymentFields();
  const { name, address } = useNewName();
  const platform = watch('platform');
  if (!PLATFORMS[platform].isServedHere || address === undefined || address.slug === address.wanted) return null;
  return (
    <div className="mb-2 text-xs text-ink-muted lg:hidden">
      <AddressHint platform={platform} name={name} check={address} />
    </div>
  );
}
