const LABEL = '_fairlead.';

/**
 * Returns the names where people put the proof by mistake, in the zone with this apex: with the domain twice, when a
 * whole name is typed into a field that adds the domain, or without the label, or at the label of the zone itself.
 */
export function misplacedProofNames(proofName: string, apex: string): string[] {
  const unit = proofName.slice(LABEL.length);
  const names = new Set([`${proofName}.${apex}`, unit, apex, `${LABEL}${apex}`]);
  names.delete(proofName);
  return [...names];
}

/** Returns the message for a person whose proof was found at one of these names. */
export function misplacedProofText(
  { proofName, apex }: { proofName: string; apex: string },
  at: string,
): { code: string; message: string; hint: string } {
  if (at === `${proofName}.${apex}`) {
    const message = `The proof is at ${at}: the domain is in that name twice.`;
    return {
      code: 'name_doubled',
      message,
      hint: `Your provider adds ${apex} automatically. Leave it out of the name.`,
    };
  }
  const message = `The value is at ${at}; it belongs at ${proofName}.`;
  return { code: 'proof_misplaced', message, hint: 'Correct the name of the TXT record: copy the one shown.' };
}
