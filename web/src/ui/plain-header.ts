/** The head of a dialog is no landmark beside that of the page. */
export const plainHeader = { header: { role: 'none' } };
