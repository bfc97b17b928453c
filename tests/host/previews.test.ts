import { expect, test } from 'vitest';
import { newId } from '../../server/database/mongo.ts';
import { createPreviews } from '../../server/host/routing/previews.ts';

const routeOf = (deploymentId: string, releaseId = newId()) => ({
  ...{ slug: 'a', deploymentId, accountId: newId(), releaseId, manifestHash: 'a'.repeat(64) },
  ...{ isSinglePage: false, hasCleanUrls: true, reusedNames: [], earlier: [] },
});

test('what changes of a deployment or a release drops its addresses alone', () => {
  const previews = createPreviews();
  const [one, other] = [newId(), newId()];
  const release = newId();
  previews.set('1--one.localhost', routeOf(one));
  previews.set('2--one.localhost', routeOf(one, release));
  previews.set('1--other.localhost', routeOf(other));
  const there = () =>
    ['1--one.localhost', '2--one.localhost', '1--other.localhost'].filter((host) => previews.get(host) !== undefined);

  previews.drop(newId());
  expect(there()).toHaveLength(3);
  previews.drop(release);
  expect(there()).toEqual(['1--one.localhost', '1--other.localhost']);
  previews.set('1--one.localhost', routeOf(one));
  previews.drop(one);
  expect(there()).toEqual(['1--other.localhost']);
  // A name that another deployment has by now is no longer the first one's.
  previews.set('1--other.localhost', routeOf(one));
  previews.drop(other);
  expect(there()).toEqual(['1--other.localhost']);
});
