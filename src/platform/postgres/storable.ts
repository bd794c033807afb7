const TEXT_MAX_CHARS = 512

/** Shortens a text of another system and removes what PostgreSQL cannot store, such as NUL. */
export const storable = (text: string): string =>
  text.replaceAll('\0', '').slice(0, TEXT_MAX_CHARS).toWellFormed()
