/** What somebody else says, as it can be stored and shown. */
const TEXT_MAX_CHARS = 512

/** PostgreSQL stores no NUL. */
export const storable = (text: string): string =>
  text.replaceAll('\0', '').slice(0, TEXT_MAX_CHARS).toWellFormed()
