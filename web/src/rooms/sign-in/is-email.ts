/** The server says whether there is such an address; here only slips are found. */
export const isEmail = (text: string): boolean => /^\s*\S+@\S+\s*$/.test(text);
