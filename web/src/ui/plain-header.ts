/** No landmark inside a dialog. */
export const plainHeader = { header: { role: 'none' } };
