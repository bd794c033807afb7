/**
 * Returns a regular expression that matches a text literally, in PostgreSQL, RE2 and JavaScript. In PostgreSQL, a
 * backslash before anything but ASCII punctuation can mean something else.
 */
export const literalPattern = (text: string): string => text.replaceAll(/[!-/:-@[-^`{-~]/g, '\\$&')
