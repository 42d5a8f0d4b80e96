/** Where the account pages are; other pages lead there. */
export const accountPath = '/account';
