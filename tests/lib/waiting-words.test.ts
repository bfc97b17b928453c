import { expect, test } from 'vitest';
import { AppError } from '../../server/lib/errors.ts';
import { errorForPerson, hintsOf, TRIED_AGAIN } from '../../server/lib/remedies.ts';
import { platformError } from '../../server/publishing/platforms/failures.ts';

test('a person whose call failed gets the words that were written for them, with what follows', () => {
  const facts = { said: 'maintenance', raw: 'HTTP 503', link: 'https://status.example.com', cause: 'the cause' };
  const error = platformError('platform_down', 'Render', facts);
  const more = 'If the problem persists, look at the status page of Render. https://status.example.com';
  expect(error).toMatchObject({ hint: `Fairlead tries again automatically. ${more}` });
  expect(errorForPerson(error)).toMatchObject({
    code: 'platform_down',
    message: error.message,
    hint: `Try again. ${more}`,
    raw: 'HTTP 503',
    cause: 'the cause',
  });
});

test('the words of others are left as they are, whatever sentence is in them', () => {
  const said = { hint: `Their page says: ${TRIED_AGAIN.job}` };
  const error = new AppError('platform_failed', 'Netlify could not complete the request.', said);
  expect(errorForPerson(error)).toBe(error);
  expect(hintsOf(TRIED_AGAIN, TRIED_AGAIN.job).hintForPerson).toBe(`${TRIED_AGAIN.person} ${TRIED_AGAIN.job}`);
});
