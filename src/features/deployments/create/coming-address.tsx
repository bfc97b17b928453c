import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { AddressHint, useNamesakes, useNewName } from './name-field.tsx';
import { useNewDeploymentFields } from './new-deployment-form.tsx';

/** Says above a button that is in sight before the name is where the deployment will be live. */
export function ComingAddress() {
  const { watch } = useNewDeploymentFields();
  const { name, problem, address } = useNewName();
  const namesakes = useNamesakes() ?? [];
  const platform = watch('platform');
  const hasAddress = PLATFORMS[platform].isServedHere && name.trim() !== '' && problem === undefined;
  if (!hasAddress || namesakes.length > 0) return null;
  return (
    <div className="min-w-0 whitespace-nowrap text-xs text-ink-muted *:flex-nowrap xl:hidden">
      <AddressHint platform={platform} name={name} check={address} fit="truncate" />
    </div>
  );
}
