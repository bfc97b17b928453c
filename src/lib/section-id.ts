/** Returns the place of a section of settings in an address. */
export function sectionId(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}
