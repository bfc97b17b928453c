import { misplacedProofNames, misplacedProofText } from '../../../dns/record-plan/misplaced-proof.ts';
import { type Check, fail, pass, recordsRepair, unknown, usable, valuesOf } from '../check.ts';

/** Checks whether the owner's proof is at the authorities. */
export const ownership: Check = {
  id: 'ownership',
  why: 'The TXT record proves that the name is yours. Without it another account can claim the name.',
  applies: ({ own }) => own?.proof !== null && own?.proof !== undefined,
  async run(subject, tools) {
    const { proof } = subject.own ?? {};
    if (!proof) return unknown('Nothing needs to be proved.');
    const answers = await tools.askNameServers(proof.name, 'TXT');
    if (usable(answers).length === 0) return unknown(`No name server answers for ${proof.name}.`);
    const repair = recordsRepair(subject);
    const fix = `Set TXT ${proof.name} to ${proof.value}.`;
    const values = valuesOf(answers);
    if (values.includes(proof.value)) return pass(`The proof is at ${proof.name}.`);
    if (values.length > 0) return fail(`The text at ${proof.name} is not your proof.`, fix, { repair });
    const zone = await tools.zoneOf(subject.name);
    for (const name of zone === null ? [] : misplacedProofNames(proof.name, zone.apex)) {
      if (!valuesOf(await tools.askNameServers(name, 'TXT')).includes(proof.value)) continue;
      const { message } = misplacedProofText({ proofName: proof.name, apex: zone?.apex ?? '' }, name);
      return fail(message, fix, { repair });
    }
    return fail(`There is no TXT record at ${proof.name}.`, fix, { repair });
  },
};
