/** The templates that a deployment can begin with. Each is the folder of its id. */
export const TEMPLATES = [
  { id: 'link-page', title: 'Link page', description: 'Who you are, on one page' },
  { id: 'restaurant', title: 'Restaurant', description: 'Menu, opening hours and directions' },
  { id: 'portfolio', title: 'Portfolio', description: 'Your work, one page per project' },
  { id: 'blog', title: 'Blog', description: 'Posts with dates, and a feed' },
  { id: 'documentation', title: 'Documentation', description: 'Pages with examples to copy' },
] as const;

export type Template = (typeof TEMPLATES)[number];
export type TemplateId = Template['id'];

/** Returns the template of that id; null for any other text. */
export function templateId(asked: string | null): TemplateId | null {
  return TEMPLATES.find(({ id }) => id === asked)?.id ?? null;
}
