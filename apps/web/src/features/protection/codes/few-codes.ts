/** From so few recovery codes on the pages ask for new ones. */
export const fewCodes = 3
